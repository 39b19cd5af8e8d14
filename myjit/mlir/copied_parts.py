"""Parts of a tensor that come from other tensors, before dispatches copy them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from myjit.mlir.boxes import Box
from myjit.mlir.context import bindings
from myjit.mlir.elementwise import Elementwise


@dataclass(frozen=True)
class Part:
    """A part of a tensor, and what of another tensor goes there.

    The two boxes differ in dimensions of one element at most; `kind` is the type of the slice between them.
    `made` are the loops that compute the source, where it is not to be kept itself. Without a source, all
    elements are `number`.
    """

    source: Any
    kind: Any
    read: Box
    written: Box
    made: Elementwise | None = None
    number: Any = None


def parts_within(part: Part, shape: Sequence[int], parts: Sequence[Part]) -> list[Part] | None:
    """Return a part by what its source is put together from: parts of a tensor of that shape.

    The source may see the tensor with dimensions of one element added, or left out. None where it cannot be
    said.
    """
    read = _seen_as(part, shape)
    if read is None or not all(b.is_dense() for p in (part, *parts) for b in (p.read, p.written)):
        return None
    found = []
    for inner in parts:
        low, size = [], []
        for place, count, start, extent in zip(
            read.offsets, read.sizes, inner.written.offsets, inner.written.sizes, strict=True
        ):
            low.append(max(place, start))
            size.append(min(place + count, start + extent) - low[-1])
        if min(size) <= 0:
            continue
        first, second = (_within(box, low, size) for box in (read, inner.written))
        taken, put = inner.read.inner(*second), part.written.inner(*first)
        ir = bindings(part.source).ir
        element = ir.RankedTensorType(inner.kind).element_type
        kind = ir.RankedTensorType.get([extent for extent in put.sizes if extent != 1], element)
        found.append(replace(inner, kind=kind, read=taken, written=put))
    return found


def _within(box: Box, low: Sequence[int], size: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return places and sizes within a box, along its long dimensions."""
    return [low[dim] - box.offsets[dim] for dim in box.long()], [size[dim] for dim in box.long()]


def _seen_as(part: Part, shape: Sequence[int]) -> Box | None:
    """Return what a part reads, with the dimensions of its source as a tensor of another shape has them."""
    seen = bindings(part.source).ir.RankedTensorType(part.source.type).shape
    kept = [dim for dim, size in enumerate(seen) if size != 1]
    if [seen[dim] for dim in kept] != [size for size in shape if size != 1]:
        return None
    left = iter(kept)
    dims = [next(left) if size != 1 else None for size in shape]
    offsets = tuple(0 if dim is None else part.read.offsets[dim] for dim in dims)
    sizes = tuple(1 if dim is None else part.read.sizes[dim] for dim in dims)
    return Box(offsets, sizes, (1,) * len(dims))
