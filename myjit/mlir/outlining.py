"""Move what makes a value into a function of its own, which is called in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings


@dataclass(frozen=True)
class KernelCall:
    """A kernel that computes `result` from `inputs`, and the numbers that it is told."""

    kernel: str
    numbers: Mapping[str, int]
    inputs: tuple[Any, ...]
    result: Any


def outline(
    module: Any,
    name: str,
    inputs: Sequence[Any],
    result: Any,
    waiting: list[Any],
    *,
    declared: bool = False,
) -> None:
    """Compute `result` from `inputs` in a private function `name`, and call that in its place.

    A function that is only declared has no body: what it computes has no other form. What has been moved and
    is used elsewhere as well stays in its place too; what is erased is taken off `waiting`, the operations
    that the caller goes on with: to touch an erased one crashes. Equal names with equal types share one
    function: a name must say what it computes. Inlining leaves the function alone.
    """
    ir = bindings(module).ir
    kind = ir.FunctionType.get([v.type for v in inputs], [result.type])
    taken = {_name(f): str(f.attributes["function_type"]) for f in _functions(module)}
    symbol, count = name, 0
    while symbol in taken and taken[symbol] != str(ir.TypeAttr.get(kind)):
        count += 1
        symbol = f"{name}__{count}"  # no number of the call: `parse_call` skips it
    makers = _makers(result, inputs)
    if symbol not in taken:
        function = _declare(module, symbol, kind, makers[-1])
        if not declared:
            _define(function, kind, inputs, result, makers)
    with ir.InsertionPoint(makers[-1]), makers[-1].location:
        callee = {"callee": ir.FlatSymbolRefAttr.get(symbol)}
        call = ir.Operation.create("func.call", [result.type], list(inputs), callee)
    result.replace_all_uses_with(call.results[0])
    for op in reversed(makers):
        if not any(len(list(r.uses)) for r in op.results):
            waiting[:] = [each for each in waiting if each != op]
            op.erase()


def _functions(module: Any) -> list[Any]:
    return [op.operation for op in module.body.operations if op.operation.name == "func.func"]


def _name(function: Any) -> str:
    return function.attributes["sym_name"].value


def _declare(module: Any, symbol: str, kind: Any, maker: Any) -> Any:
    ir = bindings(module).ir
    attributes = {
        "sym_name": ir.StringAttr.get(symbol),
        "function_type": ir.TypeAttr.get(kind),
        "sym_visibility": ir.StringAttr.get("private"),
        "no_inline": ir.UnitAttr.get(),
    }
    with ir.InsertionPoint(module.body), maker.location:
        return ir.Operation.create("func.func", [], [], attributes, regions=1)


def _define(function: Any, kind: Any, inputs: Sequence[Any], result: Any, makers: Sequence[Any]) -> None:
    ir = bindings(function).ir
    block = function.regions[0].blocks.append(*kind.inputs, arg_locs=[function.location] * len(kind.inputs))
    places = dict(zip(inputs, block.arguments, strict=True))
    with ir.InsertionPoint(block):
        for op in makers:
            copy = op.clone(ir.InsertionPoint(block))
            for index, operand in enumerate(op.operands):
                copy.operands[index] = places[operand]
            places.update(zip(op.results, copy.results, strict=True))
        ir.Operation.create("func.return", [], [places[result]], loc=function.location)


def _makers(result: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return, in order, the operations that make `result` of `inputs`."""
    found: list[Any] = []
    known = set(inputs)

    def visit(value: Any) -> None:
        if value in known:
            return
        op = value.owner.operation
        known.update(op.results)
        for operand in op.operands:
            visit(operand)
        found.append(op)

    visit(result)
    return found
