"""The dialect `fused`: compositions whose identity matters to what comes later.

Its operations take and give torch's value tensors (`!torch.vtensor`) of one floating-point type. What
each computes is what PyTorch's function of that name does. No operand is optional: weights, biases and
masks stay operations of their own.
"""

# The annotations are read when the dialect is loaded; to a type checker they are no types.
# pyright: reportInvalidTypeForm=false, reportOptionalMemberAccess=false, reportOptionalOperand=false

from typing import Any

from myjit.mlir.dialect import Dialect, Operand, Pure, Result, ir, refuse
from myjit.mlir.torch_dialect import TensorType


class Fused(Dialect, name="fused"):
    """Normalisations, activations and attention, whole."""


def _same_float_type(op: Any, operand: Any) -> bool:
    """Check that the result has the operand's type, and that it is a float tensor of known rank."""
    kind = TensorType.of(operand.type)
    if kind is None or not kind.is_float:
        return refuse(op, f"takes a float tensor of known rank, not {operand.type}")
    if operand.type != op.result.type:
        return refuse(op, f"gives {op.result.type} for an operand of {operand.type}")
    return True


def _has_dimension(op: Any) -> bool:
    rank = len(TensorType.of(op.operand.type).shape)
    dim = getattr(op.dim, "value", None)
    if not isinstance(dim, int) or not 0 <= dim < rank:
        return refuse(op, f"has dim = {op.dim} for a tensor of rank {rank}")
    return True


def _operands_fit(op: Any) -> bool:
    """Check query, key and value of an attention, its result and its scale."""
    kinds = [TensorType.of(v.type) for v in (op.query, op.key, op.value)]
    if any(k is None or not k.is_float or len(k.shape) < 2 for k in kinds):
        return refuse(op, "takes float tensors of rank 2 or more")
    query, key, value = kinds
    if len({(len(k.shape), k.dtype) for k in kinds}) != 1:
        return refuse(op, "takes query, key and value of one rank and element type")
    if not all(map(_agree, query.shape[:-2], key.shape[:-2])) or key.shape[:-2] != value.shape[:-2]:
        return refuse(op, "takes query, key and value with the same leading dimensions")
    if not _agree(query.shape[-1], key.shape[-1]):
        return refuse(op, f"has a query of depth {query.shape[-1]} and a key of depth {key.shape[-1]}")
    if not _agree(key.shape[-2], value.shape[-2]):
        return refuse(op, f"has {key.shape[-2]} keys and {value.shape[-2]} values")
    if TensorType.of(op.result.type) != query.with_shape((*query.shape[:-1], value.shape[-1])):
        return refuse(op, f"cannot give {op.result.type}")
    if not isinstance(op.scale, ir.FloatAttr):
        return refuse(op, f"needs a scale that is a float, not {op.scale}")
    return True


def _agree(a: int | None, b: int | None) -> bool:
    """Tell whether two sizes may be the same."""
    return a is None or b is None or a == b


def _epsilon_fits(op: Any) -> bool:
    if not isinstance(op.epsilon, ir.FloatAttr) or op.epsilon.value < 0:
        return refuse(op, f"needs an epsilon that is a float and not negative, not {op.epsilon}")
    return True


class Gelu(Fused.Operation, name="gelu", traits=[Pure]):
    """Gaussian error linear unit; `approximate` is "none" (erf) or "tanh"."""

    operand: Operand[Any]
    approximate: ir.StringAttr
    result: Result[Any]

    def verify_invariants(self) -> bool:
        """Check the form and the types."""
        form = getattr(self.approximate, "value", None)
        if form not in ("none", "tanh"):
            return refuse(self, f'has approximate = {self.approximate}, which is neither "none" nor "tanh"')
        return _same_float_type(self, self.operand)


class Silu(Fused.Operation, name="silu", traits=[Pure]):
    """x * sigmoid(x)."""

    operand: Operand[Any]
    result: Result[Any]

    def verify_invariants(self) -> bool:
        """Check the types."""
        return _same_float_type(self, self.operand)


class Softmax(Fused.Operation, name="softmax", traits=[Pure]):
    """Softmax over the dimension `dim`, counted from 0."""

    operand: Operand[Any]
    dim: ir.IntegerAttr
    result: Result[Any]

    def verify_invariants(self) -> bool:
        """Check the types, and that there is such a dimension."""
        return _same_float_type(self, self.operand) and _has_dimension(self)


class SafeSoftmax(Fused.Operation, name="safe_softmax", traits=[Pure]):
    """Softmax over the dimension `dim`, where a row of nothing but -inf gives zeros instead of NaN."""

    operand: Operand[Any]
    dim: ir.IntegerAttr
    result: Result[Any]

    def verify_invariants(self) -> bool:
        """Check the types, and that there is such a dimension."""
        return _same_float_type(self, self.operand) and _has_dimension(self)


class LayerNorm(Fused.Operation, name="layer_norm", traits=[Pure]):
    """Layer normalisation over the last dimension, without weight and bias."""

    operand: Operand[Any]
    epsilon: ir.FloatAttr
    result: Result[Any]

    def verify_invariants(self) -> bool:
        """Check the types and epsilon."""
        return _same_float_type(self, self.operand) and _epsilon_fits(self)


class RmsNorm(Fused.Operation, name="rms_norm", traits=[Pure]):
    """x / sqrt(mean(x^2) + epsilon) over the last dimension, without weight."""

    operand: Operand[Any]
    epsilon: ir.FloatAttr
    result: Result[Any]

    def verify_invariants(self) -> bool:
        """Check the types and epsilon."""
        return _same_float_type(self, self.operand) and _epsilon_fits(self)


class Attention(Fused.Operation, name="attention", traits=[Pure]):
    """softmax(query · keyᵀ * scale) · value over the last two dimensions; the others are the same in all.

    The half types are multiplied and summed in f32 up to the weights, which are rounded.
    """

    query: Operand[Any]
    key: Operand[Any]
    value: Operand[Any]
    scale: ir.FloatAttr
    result: Result[Any]

    def verify_invariants(self) -> bool:
        """Check that the operands are float tensors of one rank and fit each other."""
        return _operands_fit(self)


class MaskedAttention(Fused.Operation, name="masked_attention", traits=[Pure]):
    """Attention whose scores are masked: by booleans (true: is seen), or by numbers that are added.

    The mask is broadcast to the scores. A row that sees nothing gives NaN or zeros, as `empty_rows` says.
    """

    query: Operand[Any]
    key: Operand[Any]
    value: Operand[Any]
    mask: Operand[Any]
    scale: ir.FloatAttr
    empty_rows: ir.StringAttr
    result: Result[Any]

    def verify_invariants(self) -> bool:
        """Check the operands as attention does, and that the mask can be broadcast to the scores."""
        if getattr(self.empty_rows, "value", None) not in ("nan", "zeros"):
            return refuse(self, f'has empty_rows = {self.empty_rows}, which is neither "nan" nor "zeros"')
        return _operands_fit(self) and self._mask_fits()

    def _mask_fits(self) -> bool:
        query, key = TensorType.of(self.query.type), TensorType.of(self.key.type)
        mask = TensorType.of(self.mask.type)
        if mask is None or mask.dtype not in ("i1", query.wide.dtype):
            return refuse(self, f"takes a mask of i1 or {query.wide.dtype}, not {self.mask.type}")
        scores = (*query.shape[:-1], key.shape[-2])
        pairs = zip(reversed(mask.shape), reversed(scores), strict=False)
        if len(mask.shape) > len(scores) or not all(m == 1 or _agree(m, s) for m, s in pairs):
            return refuse(self, f"has a mask {self.mask.type} for scores of shape {list(scores)}")
        return True


class Rope(Fused.Operation, name="rope", traits=[Pure]):
    """Rotary position embedding: x * cos + rotate_half(x) * sin, halves of the last dimension."""

    operand: Operand[Any]
    cos: Operand[Any]
    sin: Operand[Any]
    result: Result[Any]

    def verify_invariants(self) -> bool:
        """Check the types, and that the last dimension is even."""
        if not _same_float_type(self, self.operand):
            return False
        last = TensorType.of(self.operand.type).shape[-1:]
        if last in ((), (None,)) or last[0] % 2:
            return refuse(self, f"needs a last dimension that is even and known, not {self.operand.type}")
        if self.cos.type != self.sin.type:
            return refuse(self, f"takes cos and sin of one type, not {self.cos.type} and {self.sin.type}")
        return True


DIALECT = Fused
