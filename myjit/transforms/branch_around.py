"""Branch around what a kernel computes for few numbers only, such as the angles of very large ones.

Vector code computes both values of a choice and selects: the sine of all numbers took twice the time for the
sake of those beyond two million. Here the long way to a value goes into a function that looks first whether
any of the vector's numbers wants it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations, variants
from myjit.passes.base import Pass

#: What only computes: it may be left out where its results are not used.
_ARITHMETIC = {
    f"llvm.{name}"
    for name in (
        *("add", "sub", "mul", "udiv", "urem", "and", "or", "xor", "shl", "lshr", "ashr", "icmp", "select"),
        *("fadd", "fsub", "fmul", "fdiv", "fneg", "fcmp", "sitofp", "uitofp", "fptosi", "fptoui", "bitcast"),
        *("zext", "sext", "trunc", "fpext", "fptrunc"),
        *("intr.fma", "intr.fabs", "intr.copysign", "intr.umin", "intr.umax", "intr.smin", "intr.smax"),
    )
}


@dataclass(frozen=True)
class BranchAround(Pass):
    """Rewrite choices by a vector of truth values whose second value takes `least` operations of its own."""

    IS_TUNING: ClassVar[bool] = True

    least: int = 32

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module, whose kernels are LLVM's, in place."""
        for variant in variants(module):
            number = 0
            for function in [op for op in operations(variant) if op.name == "llvm.func"]:
                for block in (block for region in function.regions for block in region):
                    for choice in _choices(block, self.least):
                        _outline(choice, function, f"myjit_where_needed_{number}")
                        number += 1


@dataclass(frozen=True)
class _Choice:
    """Selects by the same condition, and what computes nothing but their second values, in order."""

    selects: list[Any]
    computed: list[Any]


def _choices(block: Any, least: int) -> list[_Choice]:
    ops = [op.operation for op in block]
    if len(ops) < least:
        return []
    by_condition: dict[Any, list[int]] = {}
    for place, op in enumerate(ops):
        if op.name == "llvm.select" and str(op.operands[0].type).startswith("vector"):
            by_condition.setdefault(op.operands[0], []).append(place)
    if not by_condition:
        return []
    uses = _uses(ops)
    places = [(selects, _only_for(ops, uses, set(selects))) for selects in by_condition.values()]
    found = []
    taken: set[int] = set()
    for selects, computed in sorted(places, key=lambda each: -len(each[1])):  # the outermost first
        used = min((user for place in selects for user, _ in uses[place]), default=len(ops))
        if len(computed) >= least and used > max(selects) and not taken & {*selects, *computed}:
            taken |= {*selects, *computed}
            found.append(_Choice([ops[place] for place in selects], [ops[place] for place in computed]))
    return found


def _uses(ops: Sequence[Any]) -> list[list[tuple[int, int]]]:
    """Return where each operation's result is used: the user's place in the block, the operand's number.

    Uses outside of the block stand behind its end.
    """
    places = {op.results[0]: place for place, op in enumerate(ops) if len(op.results) == 1}
    found: list[list[tuple[int, int]]] = [[] for _ in ops]
    for user, op in enumerate(ops):
        for number, value in enumerate(op.operands):
            place = places.get(value)
            if place is not None:
                found[place].append((user, number))
    for value, place in places.items():
        if sum(1 for _ in value.uses) != len(found[place]):
            found[place].append((len(ops), 0))
    return found


def _only_for(ops: Sequence[Any], uses: list[list[tuple[int, int]]], selects: set[int]) -> list[int]:
    """Return the places of what is used for nothing but these selects' second values."""
    found: set[int] = set()
    for place in range(max(selects) - 1, -1, -1):
        needed = all(user in found or (user in selects and number == 2) for user, number in uses[place])
        if uses[place] and needed and ops[place].name in _ARITHMETIC and place not in selects:
            found.add(place)
    return sorted(found)


def _outline(choice: _Choice, function: Any, name: str) -> None:
    ir = bindings(function).ir
    moved = [*choice.computed, *choice.selects]
    condition = choice.selects[0].operands[0]
    firsts = [select.operands[1] for select in choice.selects]
    inputs = _inputs(moved, [condition, *firsts])
    results = f"!llvm.struct<({', '.join(str(v.type) for v in firsts)})>"
    with function.location:
        helper = _helper(ir.InsertionPoint(function), name, [v.type for v in inputs], results, len(firsts))
        last = choice.selects[-1]
        attributes = {
            "callee": ir.FlatSymbolRefAttr.get(name),
            "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
        }
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([len(inputs), 0])
        with ir.InsertionPoint(last):
            call = ir.Operation.create("llvm.call", [ir.Type.parse(results)], inputs, attributes).results[0]
            chosen = [
                ir.Operation.create(
                    "llvm.extractvalue",
                    [first.type],
                    [call],
                    {"position": ir.DenseI64ArrayAttr.get([number])},
                ).results[0]
                for number, first in enumerate(firsts)
            ]
    for select, value in zip(choice.selects, chosen, strict=True):
        select.results[0].replace_all_uses_with(value)
    _fill(ir, helper, moved, inputs, choice.selects)


def _inputs(ops: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """Return the values, `given` first, that operations take from outside of them; constants are no such."""
    inside = {value for op in ops for value in op.results}
    found = dict.fromkeys(given)
    found.update(
        dict.fromkeys(v for op in ops for v in op.operands if v not in inside and not _is_constant(v))
    )
    return list(found)


def _is_constant(value: Any) -> bool:
    is_argument = isinstance(value.owner, bindings(value).ir.Block)
    return not is_argument and value.owner.name == "llvm.mlir.constant"


def _helper(place: Any, name: str, kinds: Sequence[Any], results: str, count: int) -> Any:
    """Build the function, whose last block is to be filled: it returns its first values, after a condition,
    where that holds everywhere.
    """
    arguments = ", ".join(f"%a{n}: {kind}" for n, kind in enumerate(kinds))
    inserted = "".join(
        f"  %s{n + 1} = llvm.insertvalue %a{n + 1}, %s{n}[{n}] : {results}\n" for n in range(count)
    )
    text = (
        f'llvm.func internal @{name}({arguments}) -> {results} attributes {{sym_visibility = "private"}} {{\n'
        f'  %all = "llvm.intr.vector.reduce.and"(%a0) : ({kinds[0]}) -> i1\n'
        f"  %s0 = llvm.mlir.undef : {results}\n"
        "  llvm.cond_br %all, ^near, ^far\n"
        f"^near:\n{inserted}"
        f"  llvm.return %s{count} : {results}\n"
        f"^far:\n  llvm.return %s0 : {results}\n}}\n"
    )
    module = bindings(place.block.owner).ir.Module.parse(text)  # what is in it goes with it
    return module.body.operations[0].operation.clone(place)


def _fill(ir: Any, helper: Any, moved: Sequence[Any], inputs: Sequence[Any], selects: Sequence[Any]) -> None:
    """Move operations into the helper's last block, and return what the selects give."""
    entry, *_, far = helper.regions[0].blocks
    arguments = dict(zip(inputs, entry.arguments, strict=True))
    end = far.operations[0].operation
    for op in moved:
        op.move_before(end)
        for number, value in enumerate(op.operands):
            if value in arguments:
                op.operands[number] = arguments[value]
            elif _is_constant(value) and value.owner.parent != helper:
                op.operands[number] = value.owner.operation.clone(ir.InsertionPoint(op)).results[0]
    with helper.location, ir.InsertionPoint(end):
        struct = end.operands[0]
        for number, select in enumerate(selects):
            place = {"position": ir.DenseI64ArrayAttr.get([number])}
            value = [struct, select.results[0]]
            struct = ir.Operation.create("llvm.insertvalue", [struct.type], value, place).results[0]
    end.operands[0] = struct
