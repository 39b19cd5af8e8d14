"""Write the operations of the `fused` dialect out in torch's own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from myjit.mlir.torch_dialect import TensorType, aten
from myjit.passes.pattern import PatternPass, pattern


@dataclass(frozen=True)
class LowerFused(PatternPass):
    """Turn every `fused` operation into operations that torch-mlir lowers, for every float type."""

    @pattern("fused.gelu")
    def gelu(self, op: Any, rewriter: Any) -> Any:
        """torch.aten.gelu for the erf form, the formula for the other.

        torch-mlir's own tanh form has 0.797724 for sqrt(2/pi), which is 0.797885: wrong by 5e-5.
        """
        kind, x = op.result.type, op.operand
        if op.approximate.value == "none":
            return aten("gelu", kind, x, "none")
        cube = aten("mul.Tensor", kind, aten("mul.Tensor", kind, x, x), x)
        inner = aten("add.Tensor", kind, x, aten("mul.Scalar", kind, cube, 0.044715), 1)
        tanh = aten("tanh", kind, aten("mul.Scalar", kind, inner, math.sqrt(2 / math.pi)))
        half = aten("mul.Scalar", kind, x, 0.5)
        return aten("mul.Tensor", kind, half, aten("add.Scalar", kind, tanh, 1.0, 1))

    @pattern("fused.silu")
    def silu(self, op: Any, rewriter: Any) -> Any:
        """X * sigmoid(x)."""
        kind = op.result.type
        return aten("mul.Tensor", kind, op.operand, aten("sigmoid", kind, op.operand))

    @pattern("fused.softmax")
    def softmax(self, op: Any, rewriter: Any) -> Any:
        """torch.aten._softmax."""
        return aten("_softmax", op.result.type, op.operand, op.dim.value, False)

    @pattern("fused.layer_norm")
    def layer_norm(self, op: Any, rewriter: Any) -> Any:
        """(x - mean) * rsqrt(var + epsilon)."""
        kind = op.result.type
        row = _row(op.operand)
        mean = aten("mean.dim", row, op.operand, [-1], True, None)
        centred = aten("sub.Tensor", kind, op.operand, mean, 1)
        square = aten("mul.Tensor", kind, centred, centred)
        return aten("mul.Tensor", kind, centred, _inverse_root(square, row, op.epsilon.value))

    @pattern("fused.rms_norm")
    def rms_norm(self, op: Any, rewriter: Any) -> Any:
        """X * rsqrt(mean(x * x) + epsilon)."""
        kind = op.result.type
        square = aten("mul.Tensor", kind, op.operand, op.operand)
        factor = _inverse_root(square, _row(op.operand), op.epsilon.value)
        return aten("mul.Tensor", kind, op.operand, factor)

    @pattern("fused.attention")
    def attention(self, op: Any, rewriter: Any) -> Any:
        """Two matrix products with a softmax between them."""
        query, key = TensorType.of(op.query.type), TensorType.of(op.key.type)
        assert query is not None and key is not None  # the verifier has seen them
        turned = key.with_shape((*key.shape[:-2], key.shape[-1], key.shape[-2]))
        scores = query.with_shape((*query.shape[:-1], key.shape[-2]))
        weights = aten("matmul", scores, op.query, aten("transpose.int", turned, op.key, -2, -1))
        weights = aten("mul.Scalar", scores, weights, op.scale.value)
        weights = aten("_softmax", scores, weights, len(scores.shape) - 1, False)
        return aten("matmul", op.result.type, weights, op.value)

    @pattern("fused.rope")
    def rope(self, op: Any, rewriter: Any) -> Any:
        """X * cos + cat(-second half, first half) * sin."""
        whole = TensorType.of(op.operand.type)
        assert whole is not None and whole.shape[-1] is not None
        size = whole.shape[-1]
        half = whole.with_shape((*whole.shape[:-1], size // 2))
        first = aten("slice.Tensor", half, op.operand, -1, 0, size // 2, 1)
        second = aten("neg", half, aten("slice.Tensor", half, op.operand, -1, size // 2, size, 1))
        turned = aten("cat", whole, [second, first], -1)
        left = aten("mul.Tensor", whole, op.operand, op.cos)
        return aten("add.Tensor", whole, left, aten("mul.Tensor", whole, turned, op.sin), 1)


def _row(operand: Any) -> TensorType:
    """Return an operand's type with a last dimension of one."""
    kind = TensorType.of(operand.type)
    assert kind is not None
    return kind.with_shape((*kind.shape[:-1], 1))


def _inverse_root(square: Any, row: TensorType, epsilon: float) -> Any:
    """Return rsqrt(mean(square) + epsilon) over the last dimension."""
    mean = aten("mean.dim", row, square, [-1], True, None)
    return aten("rsqrt", row, aten("add.Scalar", row, mean, epsilon, 1))
