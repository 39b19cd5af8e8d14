"""Branch around what a kernel computes for few numbers only, such as the angles of very large ones.

Vector code computes both values of a choice and selects: the sine of all numbers took twice the time for the
sake of those beyond two million. Here the long way to a value goes into a block of its own, entered where any
of the vector's numbers wants it.
"""

from __future__ import annotations

import functools
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
#: CUDA's functions take one number of a vector after the other.
_MOVES = {"llvm.extractelement", "llvm.insertelement"}
#: Vectors up to this length are looked at one number after the other: for a reduction NVIDIA's compiler packs
#: and unpacks bits, where it joins comparisons for nothing.
_SCALARS = 4


@dataclass(frozen=True)
class BranchAround(Pass):
    """Rewrite choices whose second value takes `least` operations of its own."""

    IS_TUNING: ClassVar[bool] = True

    least: int = 32

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module, whose kernels are LLVM's, in place."""
        for variant in variants(module):
            for function in [op for op in operations(variant) if op.name == "llvm.func"]:
                for block in [block for region in function.regions for block in region]:
                    for choice in _choices(block, self.least):
                        _branch(choice)


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
        if op.name == "llvm.select":
            by_condition.setdefault(op.operands[0], []).append(place)
    if not by_condition:
        return []
    uses = _uses(ops)
    places = [(selects, _only_for(ops, uses, set(selects))) for selects in by_condition.values()]
    found = []
    taken: set[int] = set()
    for selects, computed in sorted(places, key=lambda each: -len(each[1])):  # the outermost first
        used = min((user for place in selects for user, _ in uses[place]), default=len(ops))
        if _work(ops, computed) >= least and used > max(selects) and not taken & {*selects, *computed}:
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
        if uses[place] and needed and _only_computes(ops[place]) and place not in selects:
            found.add(place)
    return sorted(found)


def _only_computes(op: Any) -> bool:
    return op.name in _ARITHMETIC or op.name in _MOVES or _is_cuda_function(op)


def _is_cuda_function(op: Any) -> bool:
    if op.name != "llvm.call" or "callee" not in op.attributes:
        return False
    takes_pointers = any("ptr" in str(value.type) for value in op.operands)
    return str(op.attributes["callee"]).startswith("@__nv_") and not takes_pointers


def _work(ops: Sequence[Any], places: Sequence[int]) -> float:
    """Count operations, a vector's as one, be they one or, as calls are, one for each of its numbers."""
    lanes = max((_lanes(ops[place].results[0].type) for place in places), default=1)
    named = [ops[place] for place in places if ops[place].name not in _MOVES]
    return sum(1 / lanes if op.name == "llvm.call" else 1 for op in named)


def _lanes(kind: Any) -> int:
    return kind.shape[0] if str(kind).startswith("vector<") else 1


def _branch(choice: _Choice) -> None:
    """Move the operations into a block of their own, which is entered unless the condition holds everywhere.

    What follows the selects becomes a block that takes their values.
    """
    ir = bindings(choice.selects[0]).ir
    last = choice.selects[-1]
    here = last.block
    condition, *_ = last.operands
    firsts = [select.operands[1] for select in choice.selects]
    with last.location:
        after = here.create_after(*(first.type for first in firsts), arg_locs=[last.location] * len(firsts))
        far = here.create_after()
        for op in _behind(here, last):
            after.append(op)
        for select, value in zip(choice.selects, after.arguments, strict=True):
            select.results[0].replace_all_uses_with(value)
        for op in (*choice.computed, *choice.selects):
            far.append(op)
        with ir.InsertionPoint(far):
            chosen = [select.results[0] for select in choice.selects]
            ir.Operation.create("llvm.br", [], chosen, successors=[after])
        with ir.InsertionPoint(here):
            # A lane that nothing reads may be poison, which a select may see and a branch may not.
            defined = ir.Operation.create("llvm.freeze", [condition.type], [condition]).results[0]
            everywhere = _everywhere(ir, defined)
            sizes = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, len(firsts), 0])}
            ir.Operation.create("llvm.cond_br", [], [everywhere, *firsts], sizes, successors=[after, far])


def _behind(block: Any, op: Any) -> list[Any]:
    ops = [each.operation for each in block]
    return ops[ops.index(op) + 1 :]


def _everywhere(ir: Any, condition: Any) -> Any:
    bit, lanes = ir.IntegerType.get_signless(1), _lanes(condition.type)
    if lanes == 1 and condition.type == bit:
        return condition
    if lanes > _SCALARS:
        return ir.Operation.create("llvm.intr.vector.reduce.and", [bit], [condition]).results[0]
    return functools.reduce(
        lambda a, b: ir.Operation.create("llvm.and", [bit], [a, b]).results[0],
        [_element(ir, condition, bit, number) for number in range(lanes)],
    )


def _element(ir: Any, vector: Any, kind: Any, number: int) -> Any:
    word = ir.IntegerType.get_signless(64)
    value = {"value": ir.IntegerAttr.get(word, number)}
    place = ir.Operation.create("llvm.mlir.constant", [word], [], value).results[0]
    return ir.Operation.create("llvm.extractelement", [kind], [vector, place]).results[0]
