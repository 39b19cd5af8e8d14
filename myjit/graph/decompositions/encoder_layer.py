"""The fused op that nn.TransformerEncoderLayer takes in eval mode, written out as its parts."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from myjit.frontend.attention import ATTENTION

aten = torch.ops.aten

#: The op's code for a mask of padding, (N, L); the others are (L, L) and, merged, (N, H, L, L).
_PADDING = 1


def transformer_encoder_layer_fwd(  # noqa: PLR0917 (the op's own signature)
    src: Tensor,
    embed_dim: int,
    num_heads: int,
    qkv_weight: Tensor,
    qkv_bias: Tensor,
    proj_weight: Tensor,
    proj_bias: Tensor,
    use_gelu: bool,  # noqa: FBT001
    norm_first: bool,  # noqa: FBT001
    eps: float,
    norm_weight_1: Tensor,
    norm_bias_1: Tensor,
    norm_weight_2: Tensor,
    norm_bias_2: Tensor,
    ffn_weight_1: Tensor,
    ffn_bias_1: Tensor,
    ffn_weight_2: Tensor,
    ffn_bias_2: Tensor,
    mask: Tensor | None = None,
    mask_type: int | None = None,
) -> Any:
    """Return the layer's output, (N, L, embed_dim) as `src` is."""
    if src.dim() != 3:
        return NotImplemented

    def norm_1(x: Tensor) -> Tensor:
        return F.layer_norm(x, (embed_dim,), norm_weight_1, norm_bias_1, eps)

    def norm_2(x: Tensor) -> Tensor:
        return F.layer_norm(x, (embed_dim,), norm_weight_2, norm_bias_2, eps)

    def attend(x: Tensor) -> Tensor:
        projected = F.linear(x, qkv_weight, qkv_bias)
        return F.linear(_attention(projected, num_heads, _hidden(mask, mask_type)), proj_weight, proj_bias)

    def feed_forward(x: Tensor) -> Tensor:
        hidden = F.linear(x, ffn_weight_1, ffn_bias_1)
        return F.linear(F.gelu(hidden) if use_gelu else F.relu(hidden), ffn_weight_2, ffn_bias_2)

    if norm_first:
        x = src + attend(norm_1(src))
        return x + feed_forward(norm_2(x))
    x = norm_1(src + attend(src))
    return norm_2(x + feed_forward(x))


def _hidden(mask: Tensor | None, mask_type: int | None) -> Tensor | None:
    """Return what a mask hides, in a shape that broadcasts to the scores', (N, H, L, L).

    Any value but zero hides: the op turns masks of numbers into truth values.
    """
    if mask is None:
        return None
    hidden = mask.to(torch.bool)
    return hidden[:, None, None, :] if mask_type == _PADDING else hidden


def _attention(projected: Tensor, num_heads: int, hidden: Tensor | None) -> Tensor:
    batch, length, width = projected.shape
    heads = projected.view(batch, length, 3, num_heads, width // 3 // num_heads)
    query, key, value = (heads.select(2, i).transpose(1, 2) for i in range(3))
    if hidden is None:
        output = ATTENTION(query, key, value, None, False, None, False)
        return output.transpose(1, 2).reshape(batch, length, width // 3)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.shape[-1])
    if hidden is not None:
        scores = scores.masked_fill(hidden, -math.inf)
    output = torch.matmul(scores.softmax(-1), value)
    return output.transpose(1, 2).reshape(batch, length, width // 3)


DECOMPOSITIONS = {aten._transformer_encoder_layer_fwd.default: transformer_encoder_layer_fwd}
