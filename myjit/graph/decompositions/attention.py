"""Scaled dot product attention, forward and backward, as matmuls and a softmax.

torch's own decomposition returns the attention weights where the op returns the logarithm of their
sums, so it cannot serve training; and it has none for the backward. The formulas are those of
FlashAttention-2 (Dao, 2023), without the tiling. Sums are in float32 for the half types, as in the op.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from myjit.frontend.attention import ATTENTION
from myjit.graph._types import wide_type

aten = torch.ops.aten


def forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,  # noqa: FBT001, FBT002 (the op's own signature)
    *,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> Any:
    """Return the output (N, H, L, E) and the logsumexp (N, H, L)."""
    if dropout_p != 0.0:
        return NotImplemented
    key, value = (_repeated(x, query) for x in (key, value))
    scores = _scores(query, key, attn_mask, scale, causal=is_causal)
    most = scores.amax(-1, keepdim=True)
    if attn_mask is not None:  # a row may see nothing: the op answers with zeros
        most = torch.where(most == -math.inf, 0.0, most)
    weights = (scores - most).exp()
    total = weights.sum(-1, keepdim=True)
    logsumexp = most + total.log()
    if attn_mask is not None:
        unseen = total == 0
        total = torch.where(unseen, 1.0, total)
        logsumexp = torch.where(unseen, 0.0, logsumexp)
    output = torch.matmul((weights / total).to(value.dtype), value)
    output = output.contiguous() if query.is_contiguous() else _heads_inside(output)
    return output, logsumexp.squeeze(-1)


def backward(  # noqa: PLR0917 (the op's own signature)
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    dropout_p: float,
    is_causal: bool,  # noqa: FBT001
    *,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> Any:
    """Return the gradients of query, key and value."""
    if dropout_p != 0.0:
        return NotImplemented
    wide = wide_type(query.dtype)
    keys, values = (_repeated(x, query) for x in (key, value))
    scores = _scores(query, keys, attn_mask, scale, causal=is_causal)
    weights = (scores - logsumexp.unsqueeze(-1)).exp()
    grad_value = torch.matmul(weights.to(query.dtype).transpose(-2, -1), grad_out)
    grad_weights = torch.matmul(grad_out.to(wide), values.to(wide).transpose(-2, -1))
    row = (grad_out.to(wide) * out.to(wide)).sum(-1, keepdim=True)
    grad_scores = (weights * (grad_weights - row) * _scale(query, scale)).to(query.dtype)
    grad_query = torch.matmul(grad_scores, keys)
    grad_key = torch.matmul(grad_scores.transpose(-2, -1), query)
    gradients = (grad_query, _summed(grad_key, key), _summed(grad_value, value))
    return tuple(_heads_inside(g) for g in gradients)


def _scores(
    query: Tensor, key: Tensor, attn_mask: Tensor | None, scale: float | None, *, causal: bool
) -> Tensor:
    wide = wide_type(query.dtype)
    scores = torch.matmul(query.to(wide), key.to(wide).transpose(-2, -1)) * _scale(query, scale)
    if causal:
        rows = torch.arange(query.shape[-2], device=query.device).unsqueeze(-1)
        columns = torch.arange(key.shape[-2], device=query.device)
        scores = torch.where(columns <= rows, scores, -math.inf)
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = torch.where(attn_mask, scores, -math.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask.to(wide)
    return scores


def _scale(query: Tensor, scale: float | None) -> float:
    return 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale


def _repeated(x: Tensor, query: Tensor) -> Tensor:
    """Repeat the heads of a key or value for the query heads that share them."""
    if x.shape[1] == query.shape[1]:
        return x
    times = query.shape[1] // x.shape[1]
    batch, heads, length, width = x.shape
    return x.unsqueeze(2).expand(batch, heads, times, length, width).reshape(batch, -1, length, width)


def _summed(grad: Tensor, x: Tensor) -> Tensor:
    """Sum a gradient over the query heads that share a head of `x`."""
    if x.shape[1] == grad.shape[1]:
        return grad
    batch, _, length, width = grad.shape
    return grad.reshape(batch, x.shape[1], -1, length, width).sum(2)


def _heads_inside(x: Tensor) -> Tensor:
    """Lay (N, H, L, E) out as (N, L, H, E) in memory."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def whole(  # noqa: PLR0917 (the op's own signature)
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    causal: bool,  # noqa: FBT001
    scale: float | None,
    shared: bool,  # noqa: FBT001
) -> Any:
    """Return the output of `myjit::attention`."""
    return forward(query, key, value, is_causal=causal, attn_mask=mask, scale=scale)[0]


DECOMPOSITIONS = {
    ATTENTION: whole,
    aten._scaled_dot_product_flash_attention_for_cpu.default: forward,
    aten._scaled_dot_product_flash_attention_for_cpu_backward.default: backward,
}
