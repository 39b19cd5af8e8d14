"""Write the operations of the `fused` dialect out in torch's own.

The half types are computed in f32 and rounded at the end, as PyTorch's own functions do.
`iree_linalg_ext.attention` is no better form for the CPU: there it took eighty times as long
(benchmarks/NOTES.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from myjit.mlir.torch_dialect import INT, TensorType, aten, cast, dtype_number
from myjit.passes.pattern import PatternPass, pattern


@dataclass(frozen=True)
class LowerFused(PatternPass):
    """Turn every `fused` operation into operations that torch-mlir lowers, for every float type."""

    @pattern("fused.gelu")
    def gelu(self, op: Any, rewriter: Any) -> Any:
        """torch.aten.gelu for the erf form, the formula for the other.

        torch-mlir's own tanh form has 0.797724 for sqrt(2/pi), which is 0.797885: wrong by 5e-5.
        """
        x, kind = _wide(op.operand)
        if op.approximate.value == "none":
            return _back(aten("gelu", kind, x, "none"), op)
        cube = aten("mul.Tensor", kind, aten("mul.Tensor", kind, x, x), x)
        inner = aten("add.Tensor", kind, x, aten("mul.Scalar", kind, cube, 0.044715), 1)
        tanh = aten("tanh", kind, aten("mul.Scalar", kind, inner, math.sqrt(2 / math.pi)))
        half = aten("mul.Scalar", kind, x, 0.5)
        return _back(aten("mul.Tensor", kind, half, aten("add.Scalar", kind, tanh, 1.0, 1)), op)

    @pattern("fused.silu")
    def silu(self, op: Any, rewriter: Any) -> Any:
        """X * sigmoid(x)."""
        x, kind = _wide(op.operand)
        return _back(aten("mul.Tensor", kind, x, aten("sigmoid", kind, x)), op)

    @pattern("fused.softmax")
    def softmax(self, op: Any, rewriter: Any) -> Any:
        """exp(x - max) over its sum."""
        x, _ = _wide(op.operand)
        return _back(_softmax(x, op.dim.value), op)

    @pattern("fused.safe_softmax")
    def safe_softmax(self, op: Any, rewriter: Any) -> Any:
        """The same, with a row of -inf made zeros."""
        x, _ = _wide(op.operand)
        return _back(_safe_softmax(x, op.dim.value), op)

    @pattern("fused.layer_norm")
    def layer_norm(self, op: Any, rewriter: Any) -> Any:
        """(x - mean) * rsqrt(var + epsilon)."""
        x, kind = _wide(op.operand)
        mean = aten("mean.dim", _along(kind, -1), x, [-1], True, None)
        centred = aten("sub.Tensor", kind, x, mean, 1)
        return _back(_normalised(centred, centred, op.epsilon.value), op)

    @pattern("fused.rms_norm")
    def rms_norm(self, op: Any, rewriter: Any) -> Any:
        """X * rsqrt(mean(x^2) + epsilon)."""
        x, _ = _wide(op.operand)
        return _back(_normalised(x, x, op.epsilon.value), op)

    @pattern("fused.attention")
    def attention(self, op: Any, rewriter: Any) -> Any:
        """Two matrix products with a softmax between them."""
        scores = _scores(op)
        return _weighted(_softmax(scores, _rank(scores) - 1), op)

    @pattern("fused.masked_attention")
    def masked_attention(self, op: Any, rewriter: Any) -> Any:
        """The same, with what the mask hides taken out in between."""
        scores, mask = _scores(op), op.mask
        if _kind(mask).dtype == "i1":
            hidden = aten("scalar_tensor", TensorType((), _kind(scores).dtype), -math.inf, *_like(scores))
            scores = aten("where.self", scores.type, mask, scores, hidden)
        else:
            scores = aten("add.Tensor", scores.type, scores, mask, 1)
        softmax = _safe_softmax if op.empty_rows.value == "zeros" else _softmax
        return _weighted(softmax(scores, _rank(scores) - 1), op)

    @pattern("fused.rope")
    def rope(self, op: Any, rewriter: Any) -> Any:
        """X * cos + cat(-second half, first half) * sin."""
        whole = _kind(op.operand)
        assert whole.shape[-1] is not None  # the verifier has seen to that
        size = whole.shape[-1]
        half = whole.with_shape((*whole.shape[:-1], size // 2))
        first = aten("slice.Tensor", half, op.operand, -1, 0, size // 2, 1)
        second = aten("neg", half, aten("slice.Tensor", half, op.operand, -1, size // 2, size, 1))
        turned = aten("cat", whole, [second, first], -1)
        left = aten("mul.Tensor", whole, op.operand, op.cos)
        return aten("add.Tensor", whole, left, aten("mul.Tensor", whole, turned, op.sin), 1)


def _kind(value: Any) -> TensorType:
    kind = TensorType.of(value.type)
    assert kind is not None  # the verifier has seen it
    return kind


def _rank(value: Any) -> int:
    return len(_kind(value).shape)


def _wide(value: Any) -> tuple[Any, TensorType]:
    """Return a value in the type that it is computed in, and that type."""
    kind = _kind(value).wide
    return cast(value, kind.dtype), kind


def _back(value: Any, op: Any) -> Any:
    """Round to the operation's own type."""
    return cast(value, _kind(op.result).dtype)


def _along(kind: TensorType, dim: int) -> TensorType:
    """Return a type with one element along a dimension."""
    sizes = list(kind.shape)
    sizes[dim] = 1
    return kind.with_shape(sizes)


def _softmax(x: Any, dim: int) -> Any:
    most = aten("amax", _along(_kind(x), dim), x, [dim], True)
    weights = aten("exp", x.type, aten("sub.Tensor", x.type, x, most, 1))
    total = aten("sum.dim_IntList", most.type, weights, [dim], True, None)
    return aten("div.Tensor", x.type, weights, total)


def _safe_softmax(x: Any, dim: int) -> Any:
    most = aten("amax", _along(_kind(x), dim), x, [dim], True)
    most = _instead(most, -math.inf, 0.0)
    weights = aten("exp", x.type, aten("sub.Tensor", x.type, x, most, 1))
    total = aten("sum.dim_IntList", most.type, weights, [dim], True, None)
    return aten("div.Tensor", x.type, weights, _instead(total, 0.0, 1.0))


def _instead(value: Any, number: float, other: float) -> Any:
    """Put another number where `value` is `number`."""
    kind = _kind(value)
    found = aten("eq.Scalar", TensorType(kind.shape, "i1"), value, number)
    filled = aten("scalar_tensor", TensorType((), kind.dtype), other, *_like(value))
    return aten("where.self", kind, found, filled, value)


def _like(value: Any) -> tuple[int, None, None, None]:
    """Return what scalar_tensor takes after the number: element type, layout, device, pinned memory."""
    return dtype_number(_kind(value).dtype), None, None, None


def _normalised(x: Any, centred: Any, epsilon: float) -> Any:
    """Return x * rsqrt(mean(centred^2) + epsilon) over the last dimension."""
    kind = _kind(x)
    row = _along(kind, -1)
    mean = aten("mean.dim", row, aten("mul.Tensor", kind, centred, centred), [-1], True, None)
    root = aten("rsqrt", row, aten("add.Scalar", row, mean, epsilon, 1))
    return aten("mul.Tensor", kind, x, root)


def _scores(op: Any) -> Any:
    """Return query · keyᵀ * scale."""
    query, _ = _wide(op.query)
    key, kind = _wide(op.key)
    turned = kind.with_shape((*kind.shape[:-2], kind.shape[-1], kind.shape[-2]))
    product = _product(query, aten("transpose.int", turned, key, -2, -1))
    return aten("mul.Scalar", product.type, product, op.scale.value)


def _weighted(weights: Any, op: Any) -> Any:
    return _product(cast(weights, _kind(op.value).dtype), op.value)


def _product(a: Any, b: Any) -> Any:
    """Multiply over the last two dimensions, with the others as one: torch-mlir's matmul is for few ranks."""
    left, right = _kind(a), _kind(b)
    result = left.with_shape((*left.shape[:-1], right.shape[-1]))
    if len(left.shape) == 2:
        return aten("mm", result, a, b)
    if len(left.shape) == 3:
        return aten("bmm", result, a, b)
    flat = aten("bmm", _flat(result), _flattened(a), _flattened(b))
    sizes = [aten("size.int", INT, a, i) if s is None else s for i, s in enumerate(left.shape[:-2])]
    return aten("unflatten.int", result, flat, 0, sizes)


def _flat(kind: TensorType) -> TensorType:
    sizes = kind.shape[:-2]
    whole = None if None in sizes else math.prod(s for s in sizes if s is not None)
    return kind.with_shape((whole, *kind.shape[-2:]))


def _flattened(value: Any) -> Any:
    return aten("flatten.using_ints", _flat(_kind(value)), value, 0, _rank(value) - 3)
