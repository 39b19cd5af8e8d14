"""Elements that loops find by arithmetic on their indices, such as those of a tensor turned over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from myjit.mlir.bodies import extracts
from myjit.mlir.constants import constant_of
from myjit.mlir.loops import Loops
from myjit.mlir.views import View

_INDEX = "linalg.index"
_SUMS = {"arith.addi": 1, "arith.subi": -1}
_QUOTIENTS = ("arith.divsi", "arith.divui")
_REMAINDERS = ("arith.remsi", "arith.remui")
_ARITHMETIC = ("arith.muli", *_SUMS, *_QUOTIENTS, *_REMAINDERS)


@dataclass(frozen=True)
class Digit:
    """What a loop's index has left over of `extent` once it is divided by `divisor`."""

    loop: int
    divisor: int
    extent: int


@dataclass(frozen=True)
class Sum:
    """An index: a constant, and digits times factors."""

    constant: int = 0
    factors: dict[Digit, int] = field(default_factory=dict)

    def plus(self, other: Sum, times: int) -> Sum:
        """Add another one, some times."""
        factors = dict(self.factors)
        for digit, factor in other.factors.items():
            factors[digit] = factors.get(digit, 0) + times * factor
        return Sum(self.constant + times * other.constant, factors)

    def digit(self) -> Digit | None:
        """Return the digit that this is, if it is one."""
        found = [(digit, factor) for digit, factor in self.factors.items() if factor]
        return found[0][0] if len(found) == 1 and found[0][1] == 1 and not self.constant else None

    def is_within(self, size: int) -> bool:
        """Tell whether all the values lie between 0 and `size`, which is none of them."""
        ends = [factor * (digit.extent - 1) for digit, factor in self.factors.items()]
        low = self.constant + sum(min(0, end) for end in ends)
        return low >= 0 and self.constant + sum(max(0, end) for end in ends) < size


@dataclass(frozen=True)
class Indexed:
    """Loops cut into further ones, so that everything that they read lies by strides along those.

    `parts` holds, for each loop, the extents of those it is cut into, outermost first; `indices`, for each
    tensor that elements are extracted from, where.
    """

    parts: tuple[tuple[int, ...], ...]
    indices: list[tuple[Any, list[Sum]]]

    def read(self, sums: Sequence[Sum], source: View) -> View | None:
        """Return the elements of `source` at indices; None where some may lie outside of it."""
        if not all(map(Sum.is_within, sums, source.shape)):
            return None
        offset = source.offset
        shape = tuple(extent for extents in self.parts for extent in extents)
        strides = [0] * len(shape)
        for each, stride in zip(sums, source.strides, strict=True):
            offset += each.constant * stride
            for digit, factor in each.factors.items():
                for place, weight in self._places(digit):
                    strides[place] += factor * weight * stride
        return View(source.memory, offset, shape, tuple(strides), source.number)

    def _places(self, digit: Digit) -> Iterator[tuple[int, int]]:
        """Yield the loops that a digit consists of, and what each counts there."""
        first = sum(len(extents) for extents in self.parts[: digit.loop])
        extents, below = self.parts[digit.loop], 1
        for place in reversed(range(len(extents))):
            if digit.divisor <= below < digit.divisor * digit.extent:
                yield first + place, below // digit.divisor
            below *= extents[place]


def indexed(op: Any) -> Indexed | None:
    """Return how loops of known extents index tensors; None where they do not, or in another way."""
    extents = Loops(op).extents()
    found = extracts(op)
    if not found or any(extent < 1 for extent in extents):
        return None
    known: dict[Any, Sum | None] = {}
    indices, digits = [], set()
    for tensor, *at in (list(each.operands) for each in found):
        sums = [one for value in at if (one := _sum(value, extents, known)) is not None]
        if len(sums) != len(at):
            return None
        indices.append((tensor, sums))
        digits |= {digit for one in sums for digit in one.factors}
    parts = [_parts(loop, extent, digits) for loop, extent in enumerate(extents)]
    known_parts = tuple(part for part in parts if part is not None)
    return Indexed(known_parts, indices) if len(known_parts) == len(parts) else None


def _sum(value: Any, extents: Sequence[int], known: dict[Any, Sum | None]) -> Sum | None:
    """Return what an index is computed of."""
    if value not in known:
        known[value] = _made(value, extents, known)
    return known[value]


def _made(value: Any, extents: Sequence[int], known: dict[Any, Sum | None]) -> Sum | None:
    constant = constant_of(value)
    if isinstance(constant, int):
        return Sum(constant)
    owner = value.owner
    name = getattr(owner, "name", "")
    if name == _INDEX:
        loop = owner.attributes["dim"].value
        return Sum(0, {Digit(loop, 1, extents[loop]): 1})
    if name not in _ARITHMETIC:
        return None
    left, right = (_sum(each, extents, known) for each in owner.operands)
    if left is None or right is None:
        return None
    if name in _SUMS:
        return left.plus(right, _SUMS[name])
    if name == "arith.muli":
        left, right = (right, left) if not left.factors else (left, right)
        return Sum().plus(left, right.constant) if not right.factors else None
    return None if right.factors else _divided(name, left.digit(), right.constant)


def _divided(name: str, digit: Digit | None, by: int) -> Sum | None:
    """Return the quotient of a digit, or what is left over, where that is a digit again."""
    if digit is None or by < 1:
        return None
    if by >= digit.extent:
        return Sum() if name in _QUOTIENTS else Sum(0, {digit: 1})
    if digit.extent % by:
        return None
    lower, upper = (digit.divisor, by), (digit.divisor * by, digit.extent // by)
    return Sum(0, {Digit(digit.loop, *(upper if name in _QUOTIENTS else lower)): 1})


def _parts(loop: int, extent: int, digits: set[Digit]) -> tuple[int, ...] | None:
    """Return the extents of the loops that one is cut into; None where digits overlap in part."""
    own = [digit for digit in digits if digit.loop == loop]
    cuts = sorted({1, extent, *(d.divisor for d in own), *(d.divisor * d.extent for d in own)})
    if any(above % below for below, above in pairwise(cuts)) or cuts[-1] != extent:
        return None
    return tuple(above // below for below, above in pairwise(cuts))[::-1] or (1,)
