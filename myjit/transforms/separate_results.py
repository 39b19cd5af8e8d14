"""Compute each result of a dispatch that reads no tensors, or has one twice, by a dispatch of its own.

IREE lets every reader of such a dispatch repeat it, as it costs little, and then takes the first result for
all of them: `x[:1].scatter(0, x[:1].argmax(0, keepdim=True), 3)`, whose place and number are both known,
wrote the place (IREE 3.13, on every target, without a word). What writes the same into two results it refuses
(`x.abs(), 1 + x.mT.abs().mT`). Remove when tests/transforms/test_separate_results.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.elementwise import STORE, function_of
from myjit.mlir.flow_executables import copied, flow_executables
from myjit.mlir.flow_updates import written
from myjit.mlir.loops import Loops
from myjit.mlir.memory import is_tensor
from myjit.mlir.operations import operations
from myjit.passes.base import Pass


@dataclass(frozen=True)
class SeparateResults(Pass):
    """Split `flow.dispatch` operations of several results, of no tensors or equal ones, and what they run."""

    def run(self, module: Any) -> None:
        """Rewrite a module of dispatches in place."""
        executables = flow_executables(module)
        dispatches = [op for op in operations(module.operation) if op.name == "flow.dispatch"]
        several = [op for op in dispatches if len(op.results) > 1]
        alone = [op for op in several if not any(map(is_tensor, op.operands)) or _has_twice(executables, op)]
        left = {_executable(op) for op in dispatches if op not in alone}
        idle = {_executable(op) for op in alone} - left
        for dispatch in alone:
            _separate(dispatch, executables)
        for name in idle:
            executables[name].erase()


def _has_twice(executables: dict[str, Any], dispatch: Any) -> bool:
    """Tell whether a dispatch that writes nothing in place computes the same for two results."""
    if written(dispatch):
        return False
    numbers = _Numbers()
    stores = [op for op in operations(function_of(executables, dispatch)) if op.name == STORE]
    values = [numbers.of_value(op.operands[0]) for op in stores]
    return len(set(values)) < len(values)


class _Numbers:
    """Gives values that are computed alike the same number: loops' results, and what is in their bodies."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._results: dict[Any, int] = {}

    def of_value(self, value: Any) -> int:
        """Return a value's number."""
        owner = value.owner
        if value not in self._results and getattr(owner, "name", "") == "linalg.generic":
            self._number_results(owner.operation)
        return self._results.get(value) or self._of(value)

    def _number_results(self, op: Any) -> None:
        maps = [str(each) for each in Loops(op).maps()]
        (block,) = op.regions[0].blocks
        inside = {
            argument: self._of((self.of_value(operand), along))
            for argument, operand, along in zip(block.arguments, op.operands, maps, strict=True)
        }
        *body, end = (each.operation for each in block)
        for each in body:
            operands = tuple(inside.get(operand) or self.of_value(operand) for operand in each.operands)
            for place, result in enumerate(each.results):
                inside[result] = self._of((each.name, *_attributes(each), operands, place))
        for result, made, along in zip(op.results, end.operands, maps[-len(op.results) :], strict=True):
            number = inside.get(made) or self.of_value(made)
            self._results[result] = self._of((number, along, str(result.type)))

    def _of(self, what: Any) -> int:
        return self._numbers.setdefault(what, len(self._numbers) + 1)


def _attributes(op: Any) -> list[str]:
    return [f"{name} = {op.attributes[name]}" for name in op.attributes]


def _executable(dispatch: Any) -> str:
    (entry,) = dispatch.attributes["entry_points"]
    return entry.value[0]


def _separate(dispatch: Any, executables: dict[str, Any]) -> None:
    ir = bindings(dispatch).ir
    *others, dims = dispatch.attributes["operandSegmentSizes"]
    values = list(dispatch.operands)
    shared, sizes = values[: len(values) - dims], iter(values[len(values) - dims :])
    for number, result in enumerate(dispatch.results):
        kind = ir.RankedTensorType(result.type)
        own = [next(sizes) for dim in range(kind.rank) if kind.is_dynamic_dim(dim)]
        attributes = {name: dispatch.attributes[name] for name in dispatch.attributes}
        (entry,) = dispatch.attributes["entry_points"]
        attributes["entry_points"] = ir.ArrayAttr.get([_own_entry(ir, executables, entry, number)])
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([*others, len(own)])
        with ir.InsertionPoint(dispatch), dispatch.location:
            new = ir.Operation.create(dispatch.name, [kind], [*shared, *own], attributes)
        result.replace_all_uses_with(new.results[0])
    dispatch.erase()


def _own_entry(ir: Any, executables: dict[str, Any], entry: Any, number: int) -> Any:
    """Return the name of a kernel that computes one result of another; make it where there is none yet."""
    own, function = copied(executables, entry, f"_result_{number}")
    if function is not None:
        _store_only(ir, function, number)
    return own


def _store_only(ir: Any, function: Any, number: int) -> None:
    block = function.regions[0].blocks[0]
    written = [place for place, each in enumerate(block.arguments) if "writeonly" in str(each.type)]
    for place in reversed([each for result, each in enumerate(written) if result != number]):
        _erase_uses(block.arguments[place])
        block.erase_argument(place)
    kind = ir.FunctionType.get([each.type for each in block.arguments], [])
    function.attributes["function_type"] = ir.TypeAttr.get(kind)


def _erase_uses(value: Any) -> None:
    """Erase the stores to a result, and what says of what shape it is."""
    for user in [use.owner.operation for use in value.uses]:
        for result in user.results:
            _erase_uses(result)
        user.erase()
