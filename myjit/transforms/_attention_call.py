"""Attention as a call of a kernel, which reads query, key, value and mask where they lie in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from myjit.launches import bits_of
from myjit.mlir.constants import constant_of
from myjit.mlir.layouts import Layout, contiguous, layout_of, sizes_of
from myjit.mlir.outlining import KernelCall
from myjit.mlir.torch_dialect import TensorType
from myjit.mlir.torch_matching import made_by, numbers, plain, uncast, uses
from myjit.transforms._row_calls import ELEMENTS

_WIDEST = 256
_JOINS = ("view", "_unsafe_view", "reshape", "flatten.using_ints")


def attention_call(op: Any) -> KernelCall | None:
    """Call a kernel for `fused.attention` or `fused.masked_attention` of known sizes."""
    query, key, value = list(op.operands)[:3]
    first, second, third = (sizes_of(v) for v in (query, key, value))
    if first is None or second is None or third is None or not _fits(op, first, second, third):
        return None
    heads, (rows, depth), keys, width = first[:-2], first[-2:], second[-2], third[-1]
    result, strides = _result(op, len(heads))
    places = [_rows(query), _rows(key), _rows(value)]
    shared = _shared(key, value)
    if shared is not None:
        places[1:] = shared[1:]
    mask, causal, places_of_mask = _mask(op, (*heads, rows, keys))
    given: dict[str, int] = {
        "batch": heads[0] if len(heads) == 2 else 1,
        "heads": heads[-1] if heads else 1,
        "shared": shared[0] if shared is not None else 1,
        "rows": rows,
        "keys": keys,
        "depth": depth,
        "width": width,
        "type": ELEMENTS[_dtype(query)],
        "scale": bits_of(op.attributes["scale"].value),
        "causal": int(causal),
        "zeros": _gives_zeros(op),
        **places_of_mask,
    }
    for name, place in zip("qkv", places, strict=True):
        batch, head, row, _ = _padded(place.strides)
        last = "m" if name == "q" else "n"
        given |= {f"{name}0": place.offset, f"{name}b": batch, f"{name}h": head, f"{name}{last}": row}
    given |= dict(zip(("ob", "oh", "om"), strides, strict=True))
    inputs = (*(p.base for p in places), *([mask] if mask is not None else []))
    return KernelCall("attention", given, inputs, result)


def _fits(op: Any, *shapes: tuple[int, ...]) -> bool:
    if any(not 2 <= len(s) <= 4 or 0 in s for s in shapes):
        return False
    if _dtype(op.results[0]) not in ("f32", "f16", "bf16") or op.attributes["scale"].value == 0:
        return False
    return max(shapes[0][-1], shapes[2][-1]) <= _WIDEST


def _dtype(value: Any) -> str:
    kind = TensorType.of(value.type)
    return kind.dtype if kind is not None else ""


def _padded(strides: tuple[int, ...]) -> tuple[int, ...]:
    return (*[0] * (4 - len(strides)), *strides)


def _rows(value: Any) -> Layout:
    """Return where a matrix of each head lies; its rows have to be whole."""
    found = layout_of(value, lambda layout: layout.strides[-1] == 1)
    shape = sizes_of(value)
    assert shape is not None  # its sizes have been looked at
    return found if found is not None else Layout(value, 0, contiguous(shape))


def _shared(key: Any, value: Any) -> tuple[int, Layout, Layout] | None:
    """Return how many heads of the query share one of key and value, and where those lie."""
    found = [_before_repeating(plain(v)) for v in (key, value)]
    if found[0] is None or found[1] is None or found[0][0] != found[1][0]:
        return None
    return found[0][0], found[0][1], found[1][1]


def _before_repeating(value: Any) -> tuple[int, Layout] | None:
    join = made_by(value, *_JOINS)
    if join is None:
        return None
    before, after = sizes_of(join.operands[0]), sizes_of(value)
    if before is None or after is None or len(before) != 5 or len(after) != 4:
        return None
    batch, heads, times, *matrix = before
    if after != (batch, heads * times, *matrix) or times == 1:
        return None
    found = layout_of(join.operands[0], lambda layout: layout.strides[2] == 0 and layout.strides[-1] == 1)
    if found is None:
        return None
    return times, Layout(found.base, found.offset, (*found.strides[:2], *found.strides[3:]))


def _result(op: Any, heads: int) -> tuple[Any, tuple[int, int, int]]:
    """Return what the kernel writes, and the strides of its batches, heads and rows.

    Where all that uses the result moves the heads inside, that is written at once.
    """
    result = op.results[0]
    shape = sizes_of(result)
    assert shape is not None  # it follows from the operands
    user = next(iter(result.uses)).owner.operation if uses(result) == 1 else None
    if user is not None and heads == 2 and _moves_heads(user):
        _, count, rows, width = shape
        return user.results[0], (rows * count * width, width, count * width)
    strides = _padded(contiguous(shape))
    return result, (strides[0], strides[1], strides[2])


def _moves_heads(op: Any) -> bool:
    if op.name == "torch.aten.permute":
        return numbers(op.operands[1]) in ([0, 2, 1, 3], [0, -2, -3, -1])
    if op.name != "torch.aten.transpose.int":
        return False
    dims = [constant_of(d) for d in op.operands[1:]]
    return None not in dims and sorted(d % 4 for d in dims) == [1, 2]


def _gives_zeros(op: Any) -> int:
    return int("empty_rows" in op.attributes and op.attributes["empty_rows"].value == "zeros")


def _mask(op: Any, scores: tuple[int, ...]) -> tuple[Any, bool, Mapping[str, int]]:
    """Return the mask, unless it says only that rows see no later columns; and where it lies."""
    nothing: dict[str, int] = dict.fromkeys(("mask", "mask_type", "m0", "mb", "mh", "mm", "mn"), 0)
    if op.name == "fused.attention":
        return None, False, nothing
    mask = op.operands[3]
    if _is_causal(mask, scores[-2:]):
        return None, True, nothing
    source = uncast(mask) if _dtype(mask) != "i1" else plain(mask)
    shape = sizes_of(source)
    assert shape is not None  # the scores' sizes are known, and the mask is broadcast to them
    place = layout_of(source, lambda layout: True)
    assert place is not None
    strides = [stride if size != 1 else 0 for stride, size in zip(place.strides, shape, strict=True)]
    batch, head, row, column = _padded(tuple(strides))
    kind = 1 if _dtype(source) == "i1" else 2
    found = {"mask": kind, "mask_type": ELEMENTS[_dtype(source)], "m0": place.offset}
    return place.base, False, {**found, "mb": batch, "mh": head, "mm": row, "mn": column}


def _is_causal(mask: Any, sizes: tuple[int, ...]) -> bool:
    """Tell whether a mask is `columns <= rows`, both counted from zero."""
    below = made_by(plain(mask), "le.Tensor")
    if below is None or sizes_of(mask) != sizes:
        return False
    columns, rows = map(plain, below.operands)
    column = made_by(rows, "unsqueeze")
    if column is None or constant_of(column.operands[1]) not in (-1, 1):
        return False
    return _counts(columns) and _counts(plain(column.operands[0]))


def _counts(value: Any) -> bool:
    """Tell whether a value is 0, 1, 2 and so on."""
    whole = made_by(value, "arange", "arange.start", "arange.start_step")
    if whole is None or len(sizes_of(value) or ()) != 1:
        return False
    if whole.name.endswith("arange"):
        return True
    step = whole.operands[2] if whole.name.endswith("step") else None
    return constant_of(whole.operands[0]) == 0 and (step is None or constant_of(step) == 1)
