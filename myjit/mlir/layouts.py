"""Where the elements of a torch-dialect view lie in the tensor that it is a view of.

A kernel that takes strides reads a view without the copy that would write it down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.torch_dialect import TensorType
from myjit.mlir.torch_matching import numbers


@dataclass(frozen=True)
class Layout:
    """The elements of a value in `base`, whose own lie one after the other: an offset, and strides."""

    base: Any
    offset: int
    strides: tuple[int, ...]


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a tensor whose elements lie one after the other."""
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def sizes_of(value: Any) -> tuple[int, ...] | None:
    """Return the sizes of a tensor, None where one is not known."""
    kind = TensorType.of(value.type)
    if kind is None or any(size is None for size in kind.shape):
        return None
    return tuple(size for size in kind.shape if size is not None)


def layout_of(value: Any, accepts: Callable[[Layout], bool]) -> Layout | None:
    """Follow a value back through views as far as it goes; return the last layout that is accepted."""
    shape = sizes_of(value)
    if shape is None:
        return None
    here = Layout(value, 0, contiguous(shape))
    best = here if accepts(here) else None
    while (before := _before(here, shape)) is not None:
        here, shape = before
        as_seen = _compose(value, here)
        if as_seen is None:
            break
        if accepts(as_seen):
            best = as_seen
    return best


def _before(here: Layout, shape: tuple[int, ...]) -> tuple[Layout, tuple[int, ...]] | None:
    """Return the value that `here.base` is a view of, with its sizes."""
    owner = getattr(here.base.owner, "operation", None)
    if owner is None or owner.name not in _VIEWS:
        return None
    source = owner.operands[0]
    sizes = sizes_of(source)
    if sizes is None or 0 in sizes:
        return None
    return Layout(source, 0, contiguous(sizes)), sizes


def _compose(value: Any, base: Layout) -> Layout | None:
    """Return where the elements of `value` lie in `base`: the views between, applied in their order."""
    chain = []
    one = value
    while one != base.base:
        chain.append(one.owner.operation if hasattr(one.owner, "operation") else one.owner)
        one = chain[-1].operands[0]
    offset, strides, shape = 0, base.strides, sizes_of(base.base)
    for op in reversed(chain):
        after = sizes_of(op.results[0])
        if after is None or shape is None:
            return None
        found = _VIEWS[op.name](op, shape, strides, after)
        if found is None:
            return None
        more, strides = found
        offset, shape = offset + more, after
    return Layout(base.base, offset, tuple(strides))


_Step = tuple[int, tuple[int, ...]] | None


def _same(op: Any, shape: Any, strides: tuple[int, ...], after: Any) -> _Step:
    return 0, strides


def _permuted(op: Any, shape: Any, strides: tuple[int, ...], after: Any) -> _Step:
    order = numbers(op.operands[1])
    if len(order) != len(strides) or None in order:
        return None
    return 0, tuple(strides[d % len(strides)] for d in order)


def _swapped(op: Any, shape: Any, strides: tuple[int, ...], after: Any) -> _Step:
    first, second = constant_of(op.operands[1]), constant_of(op.operands[2])
    if first is None or second is None:
        return None
    turned = list(strides)
    turned[first], turned[second] = strides[second], strides[first]
    return 0, tuple(turned)


def _with_one(op: Any, shape: Any, strides: tuple[int, ...], after: Any) -> _Step:
    at = constant_of(op.operands[1])
    if at is None:
        return None
    at %= len(after)
    return 0, (*strides[:at], 0, *strides[at:])


def _without_one(op: Any, shape: Any, strides: tuple[int, ...], after: Any) -> _Step:
    at = constant_of(op.operands[1])
    if at is None or len(after) != len(shape) - 1:
        return None
    at %= len(shape)
    return 0, (*strides[:at], *strides[at + 1 :])


def _selected(op: Any, shape: Any, strides: tuple[int, ...], after: Any) -> _Step:
    at, index = constant_of(op.operands[1]), constant_of(op.operands[2])
    if at is None or index is None:
        return None
    at %= len(shape)
    return strides[at] * (index % shape[at]), (*strides[:at], *strides[at + 1 :])


def _sliced(op: Any, shape: Any, strides: tuple[int, ...], after: Any) -> _Step:
    at, start, step = (constant_of(op.operands[i]) for i in (1, 2, 4))
    if at is None or step is None or step < 1:
        return None
    at %= len(shape)
    start = 0 if start is None and "none" in str(op.operands[2].type) else start
    if start is None:
        return None
    start = min(max(start + shape[at] if start < 0 else start, 0), shape[at])
    return strides[at] * start, (*strides[:at], strides[at] * step, *strides[at + 1 :])


def _expanded(op: Any, shape: Any, strides: tuple[int, ...], after: Any) -> _Step:
    more = len(after) - len(shape)
    if more < 0:
        return None
    pairs = zip(shape, strides, after[more:], strict=True)
    return 0, (*[0] * more, *(0 if before != size else stride for before, stride, size in pairs))


def _viewed(op: Any, shape: Any, strides: tuple[int, ...], after: Any) -> _Step:
    """Split dimensions, and merge those that lie one after the other."""
    groups = _groups(shape, strides)
    result: list[int] = []
    sizes = list(after)
    for count, stride in groups:
        taken, left = [], count
        while sizes and (left > 1 or (sizes[0] == 1 and not result)):
            size = sizes[0]
            if size == 0 or left % size:
                return None
            left //= size
            taken.append(sizes.pop(0))
        if left != 1:
            return None
        result += [stride * math.prod(taken[i + 1 :]) for i in range(len(taken))]
    while sizes and sizes[0] == 1:
        sizes.pop(0)
        result.append(0)
    return (0, tuple(result)) if not sizes and len(result) == len(after) else None


def _groups(shape: Sequence[int], strides: Sequence[int]) -> list[tuple[int, int]]:
    """Join dimensions that lie one after the other: elements and stride of each group."""
    groups: list[tuple[int, int]] = []
    for size, stride in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if groups and groups[-1][1] == stride * size:
            groups[-1] = (groups[-1][0] * size, stride)
        else:
            groups.append((size, stride))
    return groups or [(1, 1)]


_VIEWS: dict[str, Callable[..., _Step]] = {
    "torch.aten.alias": _same,
    "torch.aten.clone": _same,
    "torch.aten.contiguous": _same,
    "torch.aten.detach": _same,
    "torch.aten.expand": _expanded,
    "torch.aten.permute": _permuted,
    "torch.aten.transpose.int": _swapped,
    "torch.aten.t": lambda op, shape, strides, after: (0, strides[::-1]),
    "torch.aten.unsqueeze": _with_one,
    "torch.aten.squeeze.dim": _without_one,
    "torch.aten.select.int": _selected,
    "torch.aten.slice.Tensor": _sliced,
    "torch.aten.view": _viewed,
    "torch.aten._unsafe_view": _viewed,
    "torch.aten.reshape": _viewed,
    "torch.aten.flatten.using_ints": _viewed,
    "torch.aten.unflatten.int": _viewed,
}
