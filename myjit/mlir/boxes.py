"""Boxes of a tensor's elements, and what is around them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    """Some elements of a tensor: where they begin, how many there are, and in which steps, by dimension."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    steps: tuple[int, ...]

    @classmethod
    def whole(cls, shape: Sequence[int]) -> Box:
        """Return all elements of a tensor."""
        return cls((0,) * len(shape), tuple(shape), (1,) * len(shape))

    def lists(self) -> tuple[tuple[int, ...], ...]:
        """Return what operations on slices hold, in their order."""
        return self.offsets, self.sizes, self.steps

    def is_dense(self) -> bool:
        """Tell whether the elements lie one beside the other."""
        return all(step == 1 for step in self.steps)

    def long(self) -> list[int]:
        """Return the dimensions along which there is more than one element."""
        return [dim for dim, size in enumerate(self.sizes) if size != 1]

    def inner(self, starts: Sequence[int], sizes: Sequence[int]) -> Box:
        """Return a box within this one, by its place along each long dimension and its size there."""
        offsets, extents = list(self.offsets), list(self.sizes)
        for dim, start, size in zip(self.long(), starts, sizes, strict=True):
            offsets[dim] += start
            extents[dim] = size
        return Box(tuple(offsets), tuple(extents), self.steps)

    def count(self) -> int:
        """Return how many elements there are."""
        return math.prod(self.sizes)

    def ends(self) -> list[int]:
        """Return the last place along each dimension."""
        places = zip(self.offsets, self.sizes, self.steps, strict=True)
        return [offset + (size - 1) * step for offset, size, step in places]

    def without(self, other: Box) -> list[Box] | None:
        """Return boxes that make up what of this box, a dense one, is not in another.

        None where the other one, in steps, lies partly outside of it.
        """
        places = zip(self.offsets, self.ends(), other.offsets, other.ends(), strict=True)
        if any(last < low or high < first for first, last, low, high in places):
            return [self]
        found, left = [], self
        for dim, step in enumerate(other.steps):
            first, last = left.offsets[dim], left.ends()[dim]
            low, high = max(other.offsets[dim], first), min(other.ends()[dim], last)
            if step != 1 and (low, high) != (other.offsets[dim], other.ends()[dim]):
                return None
            count = (high - low) // step + 1
            found.append(left.along(dim, first, low - first))
            found.append(left.along(dim, high + 1, last - high))
            found += [left.along(dim, low + between, count - 1, step) for between in range(1, step)]
            left = left.along(dim, low, count, step)
        return [box for box in found if box.count()]

    def along(self, dim: int, offset: int, size: int, step: int = 1) -> Box:
        """Return the box with other places along a dimension."""
        changed = []
        for numbers, number in zip(self.lists(), (offset, size, step), strict=True):
            changed.append((*numbers[:dim], number, *numbers[dim + 1 :]))
        return Box(*changed)


def around(shape: Sequence[int], boxes: Sequence[Box]) -> list[Box] | None:
    """Return boxes that make up what of a tensor lies in none of some boxes.

    None where two of those have elements in common, and where it cannot be said.
    """
    rest = [Box.whole(shape)]
    for box in boxes:
        before = sum(each.count() for each in rest)
        parts = [each.without(box) if each.is_dense() else None for each in rest]
        if None in parts:
            return None
        rest = [part for each in parts for part in each or ()]
        if sum(each.count() for each in rest) != before - box.count():
            return None
    return rest
