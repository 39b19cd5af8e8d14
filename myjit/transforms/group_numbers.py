"""Compute tensors of one element in kernels of as many of them as IREE's runtime can hand to one.

IREE puts all that it can into one kernel: the counters of twenty normalizations that are trained became one
that its runtime refused to load (IREE 3.13, on every target). Remove when
tests/transforms/test_group_numbers.py passes without this.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.memory import is_tensor
from myjit.mlir.operations import operations, user_within
from myjit.mlir.regions import COMPUTED, MADE, MOST_BINDINGS, PURE, dispatch_region, is_bound
from myjit.passes.base import Pass, functions


@dataclass(frozen=True)
class GroupNumbers(Pass):
    """Put them into regions where they read and write more than `most` tensors together."""

    most: int = MOST_BINDINGS

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        for function in functions(module):
            for block in function.regions[0].blocks:
                groups = _groups(block, self.most)
                if len(groups) > 1:
                    for group in groups:
                        group.make_region()


def _groups(block: Any, most: int) -> list[_Group]:
    """Return the operations on tensors of one element: one group where one kernel can have them all."""
    ops = [(op.operation, _is_of_numbers(op.operation)) for op in block]
    everything = _Group()
    for op in [op for op, is_of_numbers in ops if is_of_numbers]:
        everything.add(op)
    if everything.size <= most:
        return [everything]
    groups = [_Group()]
    for op, is_of_numbers in ops:
        if is_of_numbers:
            if not groups[-1].takes(op, most):
                groups.append(_Group())
            groups[-1].add(op)
        elif not op.name.startswith(PURE):
            groups.append(_Group())
        else:
            groups[-1].pass_by(op)
    return [group for group in groups if group.members]


@dataclass
class _Group:
    """Operations of one kernel, and what stands among them and waits for it."""

    members: list[Any] = field(default_factory=list)
    waiting: list[Any] = field(default_factory=list)
    #: How many of these stand before the last member.
    among: int = 0
    #: Values that others compute of the kernel's.
    behind: set[Any] = field(default_factory=set)
    read: set[Any] = field(default_factory=set)
    #: Results, each with how many of its uses are not among the members.
    written: dict[Any, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many tensors the kernel reads and writes."""
        return len(self.read) + len(self.written)

    def takes(self, op: Any, most: int) -> bool:
        """Tell whether the kernel can have one more operation, which stands behind the others."""
        read, uses = self._reads(op)
        closed = sum(self.written[value] == count for value, count in uses.items())
        grown = len(read - self.read) - closed + len(op.results)
        return self.size + grown <= most and self.behind.isdisjoint(op.operands)

    def add(self, op: Any) -> None:
        """Take in an operation."""
        read, uses = self._reads(op)
        self.members.append(op)
        self.among = len(self.waiting)
        self.read |= read
        for value, count in uses.items():
            self.written[value] -= count
            if not self.written[value]:
                del self.written[value]
        self.written.update((result, len(list(result.uses))) for result in op.results)

    def pass_by(self, op: Any) -> None:
        """Note what another operation computes of the kernel's results."""
        read = {*op.operands, *(value for each in operations(op) for value in each.operands)}
        if not read.isdisjoint((*self.written, *self.behind)):
            self.waiting.append(op)
            self.behind.update(op.results)

    def make_region(self) -> None:
        """Move the members into a region where the last one stands, and behind it what waits for it."""
        block, members = self.members[-1].block, set(self.members)
        results = [
            (value, [use for use in value.uses if user_within(block, use) not in members])
            for value in self.written
        ]
        region = dispatch_region(self.members, results, self.members[-1])
        for op in reversed(self.waiting[: self.among]):
            op.move_after(region)

    def _reads(self, op: Any) -> tuple[set[Any], Counter[Any]]:
        """Return what an operation reads of others' tensors, and how often of each result."""
        uses = Counter(value for value in op.operands if value in self.written)
        return {value for value in op.operands if value not in uses and is_bound(value)}, uses


def _is_of_numbers(op: Any) -> bool:
    """Tell whether an operation computes tensors of one element from such tensors."""
    if not op.name.startswith(COMPUTED) or op.name in MADE:
        return False
    ir = bindings(op).ir
    kinds = [ir.ShapedType(value.type) for value in (*op.operands, *op.results) if is_tensor(value)]
    small = bool(kinds) and all(kind.has_static_shape and math.prod(kind.shape) <= 1 for kind in kinds)
    return small and not _moves(op)


def _moves(op: Any) -> bool:
    """Tell whether an operation moves elements, now or when IREE has folded its numbers.

    That makes views, and a view must not be a region's result. What begins with a number is a reduction, of
    one element: of integers it is that element.
    """
    ir = bindings(op).ir
    names = [each.name for each in operations(op)]
    begins = any(getattr(value.owner, "name", "") == "linalg.fill" for value in op.operands)
    integers = any(isinstance(ir.ShapedType(value.type).element_type, ir.IntegerType) for value in op.results)
    return names == ["linalg.yield"] or "tensor.extract" in names or (begins and integers)
