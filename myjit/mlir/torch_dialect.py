"""Read types of the torch dialect, and build its operations at the current insertion point."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_TENSOR = re.compile(r"!torch\.vtensor<\[([\d?,]*)\],(\w+)>")
_FLOATS = ("f16", "bf16", "f32", "f64")
_HALVES = ("f16", "bf16")

#: The type of torch's integers.
INT = "!torch.int"

#: torch's numbers for element types, as `prims.convert_element_type` takes them.
_DTYPE_NUMBERS = {"f16": 5, "f32": 6, "f64": 7, "i1": 11, "bf16": 15}


@dataclass(frozen=True)
class TensorType:
    """A `!torch.vtensor` of known rank and element type; sizes known only at the call are None."""

    shape: tuple[int | None, ...]
    dtype: str

    @staticmethod
    def of(kind: Any) -> TensorType | None:
        """Read an MLIR type; None when it is another."""
        match = _TENSOR.fullmatch(str(kind))
        if match is None:
            return None
        sizes = [s for s in match.group(1).split(",") if s]
        return TensorType(tuple(None if s == "?" else int(s) for s in sizes), match.group(2))

    @property
    def is_float(self) -> bool:
        """Whether the elements are floats that torch-mlir computes with."""
        return self.dtype in _FLOATS

    @property
    def wide(self) -> TensorType:
        """The type in which sums are made: f32 for the half types."""
        return TensorType(self.shape, "f32" if self.dtype in _HALVES else self.dtype)

    def build(self) -> Any:
        """Return the MLIR type, in the current context."""
        from torch_mlir import ir

        sizes = ",".join("?" if s is None else str(s) for s in self.shape)
        return ir.Type.parse(f"!torch.vtensor<[{sizes}],{self.dtype}>")

    def builtin(self) -> Any:
        """Return MLIR's own tensor type for it, in the current context: its integers have no sign."""
        from torch_mlir import ir

        sizes = "".join(f"{'?' if s is None else s}x" for s in self.shape)
        return ir.Type.parse(f"tensor<{sizes}{re.sub('^[su]i', 'i', self.dtype)}>")

    def with_shape(self, shape: Sequence[int | None]) -> TensorType:
        """Return the type with another shape."""
        return TensorType(tuple(shape), self.dtype)


def aten(name: str, result: Any, *operands: Any) -> Any:
    """Build `torch.aten.<name>`; Python numbers, booleans, None, strings and lists become constants."""
    from torch_mlir import ir

    kind = result
    if isinstance(result, TensorType):
        kind = result.build()
    elif isinstance(result, str):
        kind = ir.Type.parse(result)
    values = [_value(operand) for operand in operands]
    return ir.Operation.create(f"torch.aten.{name}", [kind], values).results[0]


def dtype_number(dtype: str) -> int:
    """Return torch's number for an element type."""
    return _DTYPE_NUMBERS[dtype]


def cast(value: Any, dtype: str) -> Any:
    """Return a tensor value with another element type; itself where it has that type."""
    from torch_mlir import ir

    kind = TensorType.of(value.type)
    assert kind is not None
    if kind.dtype == dtype:
        return value
    result = TensorType(kind.shape, dtype).build()
    operands = [value, _value(dtype_number(dtype))]
    return ir.Operation.create("torch.prims.convert_element_type", [result], operands).results[0]


def bitcast(value: Any, before: TensorType, after: TensorType) -> Any:
    """Build the reading of a tensor's bits as another type of the same width."""
    from torch_mlir import ir

    source = ir.Operation.create("torch_c.to_builtin_tensor", [before.builtin()], [value]).results[0]
    read = ir.Operation.create("arith.bitcast", [after.builtin()], [source]).results[0]
    return ir.Operation.create("torch_c.from_builtin_tensor", [after.build()], [read]).results[0]


def _value(operand: Any) -> Any:
    """Return a value: a constant's for what is Python's own."""
    from torch_mlir import ir

    if operand is None:
        return _constant("none", "!torch.none")
    if isinstance(operand, bool):
        flag = ir.IntegerAttr.get(ir.IntegerType.get_signless(1), int(operand))
        return _constant("bool", "!torch.bool", flag)
    if isinstance(operand, int):
        return _constant("int", "!torch.int", ir.IntegerAttr.get(ir.IntegerType.get_signless(64), operand))
    if isinstance(operand, float):
        return _constant("float", "!torch.float", ir.FloatAttr.get(ir.F64Type.get(), operand))
    if isinstance(operand, str):
        return _constant("str", "!torch.str", ir.StringAttr.get(operand))
    if isinstance(operand, (list, tuple)):
        values = [_value(one) for one in operand]
        kind = ir.Type.parse(f"!torch.list<{_element(str(values[0].type))}>")
        return ir.Operation.create("torch.prim.ListConstruct", [kind], values).results[0]
    return operand


def _element(kind: str) -> str:
    """Return how a type is written inside of `!torch.list<…>`; tensors of several shapes as any tensor."""
    return "vtensor" if kind.startswith("!torch.vtensor") else kind.removeprefix("!torch.")


def _constant(name: str, kind: str, value: Any = None) -> Any:
    from torch_mlir import ir

    attributes = {} if value is None else {"value": value}
    result = ir.Type.parse(kind)
    return ir.Operation.create(f"torch.constant.{name}", [result], [], attributes).results[0]
