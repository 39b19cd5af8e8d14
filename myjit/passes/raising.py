"""What the passes that raise share: building the operation, and erasing what only the match used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.torch_dialect import TensorType
from myjit.passes.base import functions
from myjit.passes.pattern import PatternPass

#: What the raising patterns look through; none has an effect, and canonicalize keeps torch's operations.
_LOOKED_AT = frozenset(
    "torch.aten." + name
    for name in (
        *("sigmoid", "tanh", "erf", "exp", "neg", "sqrt", "rsqrt", "reciprocal", "pow.Tensor_Scalar"),
        *("mul.Tensor", "mul.Scalar", "add.Tensor", "add.Scalar", "sub.Tensor", "div.Tensor", "div.Scalar"),
        *("mean.dim", "sum.dim_IntList", "amax", "eq.Scalar", "where.self", "scalar_tensor", "full"),
        *("clone", "expand", "view", "permute", "transpose.int", "flatten.using_ints", "unflatten.int"),
        *("bmm", "matmul", "slice.Tensor", "cat"),
    )
) | {"torch.prims.convert_element_type", "torch.prim.ListConstruct"}


@dataclass(frozen=True)
class RaisingPass(PatternPass):
    """A pattern pass that also erases what nothing uses any more."""

    def run(self, module: Any) -> None:
        """Raise in every function; what only the matches used goes."""
        super().run(module)
        for function in functions(module):
            _erase_unused(function)


def build(name: str, result: Any, operands: list[Any], **attributes: Any) -> Any:
    """Build `fused.<name>` of type `result`; None where that is no float tensor of known rank 1 or more.

    Attributes are Python strings, integers and floats, or MLIR's own.
    """
    ir = bindings(result).ir
    kind = TensorType.of(result)
    if kind is None or not kind.is_float or not kind.shape:
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


def _erase_unused(function: Any) -> None:
    """Erase operations that nothing uses, users before makers."""
    for op in reversed([op.operation for block in function.regions[0] for op in block]):
        known = op.name in _LOOKED_AT or op.name.startswith("fused.")
        if known and not any(len(list(result.uses)) for result in op.results):
            op.erase()
