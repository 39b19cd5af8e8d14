"""Find the compositions that the `fused` dialect names, as the importer writes them.

Each match looks at one element type throughout: a cast in between ends it. Constants are compared to
a relative error of one in 100 000, since people write sqrt(2/pi) with few digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.torch_dialect import TensorType
from myjit.passes.base import functions
from myjit.passes.pattern import PatternPass, pattern

_ROOT = math.sqrt(2 / math.pi)


@dataclass(frozen=True)
class RaiseFused(PatternPass):
    """Raise silu, gelu, softmax, layer_norm and rms_norm from torch's operations."""

    def run(self, module: Any) -> None:
        """Raise in every function; what only the matches used goes."""
        super().run(module)
        for function in functions(module):
            _erase_unused(function)

    @pattern("torch.aten.gelu")
    def gelu(self, op: Any, rewriter: Any) -> Any:
        """Take PyTorch's own gelu, in either form."""
        form = _operation(op.operation.operands[1])
        if form is None or form.name != "torch.constant.str":
            return None
        return _build("gelu", op, [op.operation.operands[0]], approximate=form.attributes["value"])

    @pattern("torch.aten._softmax")
    def softmax(self, op: Any, rewriter: Any) -> Any:
        """Take PyTorch's own softmax."""
        operand, dim, to_float = op.operation.operands
        kind, number = TensorType.of(operand.type), constant_of(dim)
        if kind is None or not isinstance(number, int) or constant_of(to_float):
            return None
        return _build("softmax", op, [operand], dim=number % max(1, len(kind.shape)))

    @pattern("torch.aten.mul.Tensor", benefit=2)
    def silu(self, op: Any, rewriter: Any) -> Any:
        """X * sigmoid(x), in either order."""
        for x, other in _either_order(op):
            gate = _operation(other, "sigmoid")
            if gate is not None and gate.operands[0] == x:
                return _build("silu", op, [x])
        return None

    @pattern("torch.aten.mul.Tensor", benefit=3)
    def gelu_by_hand(self, op: Any, rewriter: Any) -> Any:
        """X * 0.5 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))."""
        for half, bracket in _either_order(op):
            x = _scaled(half, 0.5)
            tanh = _operation(_plus_number(bracket, 1.0), "tanh")
            inner = _operation(_scaled(tanh.operands[0], _ROOT), "add.Tensor") if tanh is not None else None
            if x is None or inner is None or constant_of(inner.operands[2]) != 1:
                continue
            for left, cubic in _either_order(inner):
                if left == x and _is_cube(_scaled(cubic, 0.044715), x):
                    return _build("gelu", op, [x], approximate="tanh")
        return None

    @pattern("torch.aten.mul.Tensor")
    def rms_norm(self, op: Any, rewriter: Any) -> Any:
        """X * rsqrt(mean(x^2) + epsilon) over the last dimension."""
        for x, factor in _either_order(op):
            found = _inverse_root(factor)
            if found is None:
                continue
            mean, epsilon = found
            square = _operation(_mean_of_rows(mean), "pow.Tensor_Scalar")
            if square is not None and square.operands[0] == x and constant_of(square.operands[1]) == 2:
                return _build("rms_norm", op, [x], epsilon=epsilon)
        return None

    @pattern("torch.aten.mul.Tensor")
    def layer_norm(self, op: Any, rewriter: Any) -> Any:
        """(x - mean) * rsqrt(var + epsilon), both of one var_mean over the last dimension."""
        for centred, factor in _either_order(op):
            found, difference = _inverse_root(factor), _operation(centred, "sub.Tensor")
            if found is None or difference is None or constant_of(difference.operands[2]) != 1:
                continue
            variance, epsilon = found
            both = _operation(variance, "var_mean.correction")
            x, mean = difference.operands[0], difference.operands[1]
            if both is None or both.operands[0] != x or _operation(mean) != both:
                continue
            if both.results[0] == variance and both.results[1] == mean and _whole_rows(both, x):
                return _build("layer_norm", op, [x], epsilon=epsilon)
        return None


#: What the patterns look through, so what may be left without a use; none of them has an effect.
_LOOKED_AT = (
    *("sigmoid", "mul.Scalar", "pow.Tensor_Scalar", "add.Tensor", "add.Scalar", "tanh", "rsqrt"),
    *("mean.dim", "sub.Tensor", "var_mean.correction", "mul.Tensor"),
)


def _erase_unused(function: Any) -> None:
    """Erase operations that nothing uses, users before makers; canonicalize keeps torch's."""
    for op in reversed([op.operation for block in function.regions[0] for op in block]):
        known = op.name.removeprefix("torch.aten.") in _LOOKED_AT
        if known and not any(len(list(result.uses)) for result in op.results):
            op.erase()


def _build(name: str, op: Any, operands: list[Any], **attributes: Any) -> Any:
    """Build `fused.<name>` in place of `op`; None where the types are not those that it takes."""
    ir = bindings(op).ir
    result = op.operation.results[0].type
    kind = TensorType.of(result)
    if kind is None or not kind.is_float or operands[0].type != result or not kind.shape:
        return None
    written: dict[str, Any] = {}
    for key, value in attributes.items():
        if isinstance(value, str):
            written[key] = ir.StringAttr.get(value)
        elif isinstance(value, int):
            written[key] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
        elif isinstance(value, float):
            written[key] = ir.FloatAttr.get(ir.F64Type.get(), value)
        else:
            written[key] = value
    return ir.Operation.create(f"fused.{name}", [result], operands, written)


def _operation(value: Any, name: str = "") -> Any:
    """Return the operation that makes a value, if it is `torch.aten.<name>` (any without a name)."""
    if value is None:
        return None
    operation = getattr(value.owner, "operation", None) or value.owner
    found = getattr(operation, "name", None)
    if found is None or (name and found != f"torch.aten.{name}"):
        return None
    return operation


def _either_order(op: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    left, right = op.operation.operands[0], op.operation.operands[1]
    return (left, right), (right, left)


def _close(value: Any, number: float) -> bool:
    return isinstance(value, (int, float)) and math.isclose(value, number, rel_tol=1e-5)


def _scaled(value: Any, number: float) -> Any:
    """Return x where `value` is x * number."""
    product = _operation(value, "mul.Scalar")
    return (
        product.operands[0]
        if product is not None and _close(constant_of(product.operands[1]), number)
        else None
    )


def _plus_number(value: Any, number: float) -> Any:
    """Return x where `value` is x + number."""
    total = _operation(value, "add.Scalar")
    if total is None or constant_of(total.operands[2]) != 1:
        return None
    return total.operands[0] if _close(constant_of(total.operands[1]), number) else None


def _is_cube(value: Any, x: Any) -> bool:
    power = _operation(value, "pow.Tensor_Scalar")
    return power is not None and power.operands[0] == x and _close(constant_of(power.operands[1]), 3.0)


def _inverse_root(value: Any) -> tuple[Any, float] | None:
    """Return v and epsilon where `value` is rsqrt(v + epsilon)."""
    root = _operation(value, "rsqrt")
    total = _operation(root.operands[0], "add.Scalar") if root is not None else None
    epsilon = constant_of(total.operands[1]) if total is not None else None
    if total is None or not isinstance(epsilon, float) or epsilon < 0 or constant_of(total.operands[2]) != 1:
        return None
    return total.operands[0], epsilon


def _numbers(value: Any) -> list[Any]:
    """Return the constants of a list, None for each that is none."""
    made = _operation(value)
    return (
        [constant_of(v) for v in made.operands]
        if made is not None and made.name.endswith("ListConstruct")
        else []
    )


def _is_last(dims: list[Any], x: Any) -> bool:
    kind = TensorType.of(x.type)
    return kind is not None and len(dims) == 1 and dims[0] in (-1, len(kind.shape) - 1)


def _mean_of_rows(value: Any) -> Any:
    """Return x where `value` is the mean of x over its last dimension, which is kept."""
    mean = _operation(value, "mean.dim")
    if mean is None or constant_of(mean.operands[2]) != 1 or not _is_none(mean.operands[3]):
        return None
    return mean.operands[0] if _is_last(_numbers(mean.operands[1]), mean.operands[0]) else None


def _is_none(value: Any) -> bool:
    made = _operation(value)
    return made is not None and made.name == "torch.constant.none"


def _whole_rows(both: Any, x: Any) -> bool:
    """Tell whether a var_mean is over the last dimension, kept, without correction."""
    _, dims, correction, keep = both.operands
    return _is_last(_numbers(dims), x) and constant_of(correction) == 0 and constant_of(keep) == 1
