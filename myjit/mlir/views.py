"""Elements as a kernel finds them in memory, or computes them of such."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.boxes import Box


@dataclass(frozen=True)
class View:
    """Elements of a memory, `offset` and `strides` in elements; without one, `number` in all places."""

    memory: Any
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    number: Any = None

    def box(self, box: Box) -> View:
        """Return some of the elements."""
        offset = self.offset + sum(a * b for a, b in zip(box.offsets, self.strides, strict=True))
        strides = tuple(a * b for a, b in zip(box.steps, self.strides, strict=True))
        return View(self.memory, offset, box.sizes, strides, self.number)

    def without_ones(self, shape: Sequence[int]) -> View:
        """Return the elements seen with fewer dimensions: some of those of one element are left out."""
        kept, wanted = [], list(shape)
        for extent, stride in zip(self.shape, self.strides, strict=True):
            if wanted and extent == wanted[0]:
                kept.append(stride)
                wanted.pop(0)
        return View(self.memory, self.offset, tuple(shape), tuple(kept), self.number)

    def along(self, dims: Sequence[int], loops: Sequence[int], extents: Sequence[int]) -> View:
        """Return the elements by the dimensions `loops` of a space of `extents`, through which `dims` go.

        A dimension that none goes along repeats them; one that several go along takes a diagonal.
        """
        strides: dict[int, int] = {}
        for loop, stride in zip(dims, self.strides, strict=True):
            strides[loop] = strides.get(loop, 0) + stride
        shape = tuple(extents[loop] for loop in loops)
        return View(
            self.memory, self.offset, shape, tuple(strides.get(loop, 0) for loop in loops), self.number
        )

    def split(self, parts: Sequence[Sequence[int]]) -> View:
        """Return the elements by more dimensions: those that each is cut into, outermost first."""
        strides = []
        for stride, extents in zip(self.strides, parts, strict=True):
            strides += [stride * math.prod(extents[place + 1 :]) for place in range(len(extents))]
        shape = tuple(extent for extents in parts for extent in extents)
        return View(self.memory, self.offset, shape, tuple(strides), self.number)

    def leaves(self) -> list[View]:
        """Return what lies in memory, or is a number."""
        return [self]


@dataclass(frozen=True)
class Computed:
    """What the body of loops makes of elements, one of each of `inputs`, all of one shape."""

    operation: Any
    inputs: tuple[View | Computed, ...]
    shape: tuple[int, ...]

    def box(self, box: Box) -> Computed:
        """Return some of the elements."""
        return Computed(self.operation, tuple(each.box(box) for each in self.inputs), box.sizes)

    def without_ones(self, shape: Sequence[int]) -> Computed:
        """Return the elements seen with fewer dimensions: some of those of one element are left out."""
        inputs = tuple(each.without_ones(shape) for each in self.inputs)
        return Computed(self.operation, inputs, tuple(shape))

    def along(self, dims: Sequence[int], loops: Sequence[int], extents: Sequence[int]) -> Computed:
        """Return the elements by the dimensions `loops` of a space of `extents`, through which `dims` go."""
        inputs = tuple(each.along(dims, loops, extents) for each in self.inputs)
        return Computed(self.operation, inputs, tuple(extents[loop] for loop in loops))

    def split(self, parts: Sequence[Sequence[int]]) -> Computed:
        """Return the elements by more dimensions: those that each is cut into, outermost first."""
        shape = tuple(extent for extents in parts for extent in extents)
        return Computed(self.operation, tuple(each.split(parts) for each in self.inputs), shape)

    def leaves(self) -> list[View]:
        """Return what lies in memory, or is a number, in the order of the operations' operands."""
        return [leaf for each in self.inputs for leaf in each.leaves()]


@dataclass(frozen=True)
class InTurn:
    """Elements of two, of one shape each, that lie in turn: the first one's, the second one's, and so on."""

    inputs: tuple[View | Computed, View | Computed]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of each."""
        return self.inputs[0].shape

    def leaves(self) -> list[View]:
        """Return what lies in memory, or is a number, of the first and then of the second."""
        return [leaf for each in self.inputs for leaf in each.leaves()]


#: Elements of a tensor.
Elements = View | Computed
