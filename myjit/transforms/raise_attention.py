"""Raise attention to the `fused` dialect: a product, scaled and masked, a softmax, and another product.

Runs after `raise-softmax`. Weights that something else uses as well (a gradient, a caller who wants to
see them) stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from myjit.mlir.constants import constant_of
from myjit.mlir.torch_dialect import TensorType, aten, dtype_number
from myjit.mlir.torch_matching import (
    either_order,
    filled_with,
    is_last,
    made_by,
    numbers,
    plain,
    rounded,
    sum_of,
    uncast,
    uses,
)
from myjit.passes.pattern import pattern
from myjit.passes.raising import RaisingPass, build

_VIEWS = ("view", "_unsafe_view", "reshape", "unflatten.int")

#: What may be between the softmax and the product.
_ON_THE_WAY = frozenset(
    f"torch.aten.{name}"
    for name in ("clone", "expand", "view", "_unsafe_view", "reshape", "flatten.using_ints", "to.dtype")
) | {"torch.prims.convert_element_type"}


class _Mask(NamedTuple):
    value: Any
    says: str  # "add" numbers, "shown" where true, "hidden" where true


class _Scores(NamedTuple):
    query: Any
    turned_key: Any
    scale: float
    masks: tuple[_Mask, ...] = ()


@dataclass(frozen=True)
class RaiseAttention(RaisingPass):
    """Raise attention and masked_attention."""

    @pattern("torch.aten.bmm")
    def bmm(self, op: Any, rewriter: Any) -> Any:
        """Three dimensions."""
        return _attention(op.operation.results[0])

    @pattern("torch.aten.matmul")
    def matmul(self, op: Any, rewriter: Any) -> Any:
        """Any number of dimensions."""
        return _attention(op.operation.results[0])

    @pattern("torch.aten.view")
    def view(self, op: Any, rewriter: Any) -> Any:
        """A bmm with its batch dimensions apart again."""
        return _attention(op.operation.results[0])

    @pattern("torch.aten.unflatten.int")
    def unflatten(self, op: Any, rewriter: Any) -> Any:
        """The same, with dynamic sizes."""
        return _attention(op.operation.results[0])


def _attention(result: Any) -> Any:
    product = _matrix_product(result)
    if product is None:
        return None
    weights, value = product
    softmax = _whole(rounded(weights))
    if softmax is None:
        return None
    scores = _scores(softmax.operands[0])
    if scores is None:
        return None
    query, key, is_turned = _operands(scores, value)
    if not _fits(result, scores, (query, key, value), is_turned=is_turned):
        return None
    operands = [query, key if is_turned else _transposed(key), value]
    safe = softmax.name.endswith("safe_softmax")
    if not scores.masks:
        return None if safe else build("attention", result.type, operands, scale=scores.scale)
    mask = _one_mask(scores.masks)
    empty = "zeros" if safe else "nan"
    return build("masked_attention", result.type, [*operands, mask], scale=scores.scale, empty_rows=empty)


def _whole(weights: Any) -> Any:
    """Return the softmax over the last dimension that makes the weights, if only attention uses it."""
    softmax = getattr(weights.owner, "operation", None)
    if softmax is None or softmax.name not in ("fused.softmax", "fused.safe_softmax"):
        return None
    if uses(softmax.operands[0]) != 1 or not _feeds_one_product(weights):
        return None
    return softmax if is_last([softmax.attributes["dim"].value], weights) else None


def _feeds_one_product(value: Any) -> bool:
    while True:
        users = [use.owner.operation for use in value.uses]
        if len(users) != 1 or len(users[0].results) != 1:
            return False
        if users[0].name in ("torch.aten.bmm", "torch.aten.matmul"):
            return True
        if users[0].name not in _ON_THE_WAY:
            return False
        value = users[0].results[0]


def _operands(scores: _Scores, value: Any) -> tuple[Any, Any, bool]:
    """Return the query; the key, or else its transpose; and whether it is the key."""
    kind = TensorType.of(value.type)
    is_half = kind is not None and kind.wide != kind
    source = uncast if is_half else plain
    turned = source(scores.turned_key)
    key = _swapped(turned)
    return source(scores.query), source(key) if key is not None else turned, key is not None


def _fits(result: Any, scores: _Scores, operands: tuple[Any, Any, Any], *, is_turned: bool) -> bool:
    """Tell whether the types are those of attention: one type, and the half types summed in f32."""
    kinds = [kind for v in (*operands, result) if (kind := TensorType.of(v.type)) is not None]
    if len(kinds) != 4 or len({(len(k.shape), k.dtype) for k in kinds}) != 1:
        return False
    query, key, value, whole = kinds
    wide = TensorType.of(scores.query.type)
    if not query.is_float or len(query.shape) < 2 or wide is None or wide.dtype != query.wide.dtype:
        return False
    heads = query.shape[:-2]
    if heads.count(None) > 1 or any(k.shape[:-2] != heads for k in (key, value, whole)):
        return False
    depth = key.shape[-1] if is_turned else key.shape[-2]
    return depth == query.shape[-1] and _are_masks(scores.masks, wide)


def _are_masks(masks: tuple[_Mask, ...], scores: TensorType) -> bool:
    """Tell whether masks can be one: each of the scores' type and rank or less, at most one of booleans."""
    kinds = [TensorType.of(m.value.type) for m in masks]
    booleans = sum(m.says != "add" for m in masks)
    return booleans < 2 and all(
        kind is not None
        and kind.dtype == (scores.dtype if mask.says == "add" else "i1")
        and len(kind.shape) <= len(scores.shape)
        for mask, kind in zip(masks, kinds, strict=True)
    )


def _one_mask(masks: tuple[_Mask, ...]) -> Any:
    """Add what is added, and put -inf where a boolean mask hides it."""
    added = [m.value for m in masks if m.says == "add"]
    booleans = [m for m in masks if m.says != "add"]
    total = added[0] if added else None
    for one in added[1:]:
        total = aten("add.Tensor", _broadcast(total, one), total, one, 1)
    if not booleans:
        return total
    condition, says = booleans[0]
    if total is None:
        return condition if says == "shown" else aten("logical_not", condition.type, condition)
    kind = _broadcast(total, condition)
    number = dtype_number(kind.dtype)
    hidden = aten("scalar_tensor", kind.with_shape(()), -math.inf, number, None, None, None)
    both = (total, hidden) if says == "shown" else (hidden, total)
    return aten("where.self", kind, condition, *both)


def _broadcast(a: Any, b: Any) -> TensorType:
    """Return the type of `a` when broadcast with `b`."""
    first, second = TensorType.of(a.type), TensorType.of(b.type)
    assert first is not None and second is not None  # they have been looked at
    sizes = []
    for one, other in zip_longest(reversed(first.shape), reversed(second.shape), fillvalue=1):
        sizes.append(one if other == 1 or (other is None and one != 1) else other)
    return first.with_shape(tuple(reversed(sizes)))


def _scores(value: Any) -> _Scores | None:
    """Read what goes into the softmax: a product, scaled or not, masked once, several times or not."""
    value = plain(value)
    direct = _scaled(value)
    if direct is not None:
        return direct
    for inner, mask in _masked(value):
        found = _scores(inner) if inner.type == value.type else None
        if found is not None:
            return found._replace(masks=(*found.masks, mask))
    return None


def _masked(value: Any) -> Iterator[tuple[Any, _Mask]]:
    """Yield what `value` may be a masked form of, with the mask."""
    total = sum_of(value)
    if total is not None:
        yield from ((inner, _Mask(mask, "add")) for inner, mask in either_order(total))
    chosen = made_by(value, "where.self")
    if chosen is not None:
        condition, first, second = chosen.operands
        if filled_with(second) == -math.inf:
            yield first, _Mask(condition, "shown")
        if filled_with(first) == -math.inf:
            yield second, _Mask(condition, "hidden")


def _scaled(value: Any) -> _Scores | None:
    value, scale = plain(value), 1.0
    made = made_by(value, "mul.Scalar", "div.Scalar")
    number = constant_of(made.operands[1]) if made is not None else None
    if made is not None and isinstance(number, (int, float)) and number != 0:
        scale = float(number) if made.name.endswith("mul.Scalar") else 1 / number
        value = made.operands[0]
    product = _matrix_product(value)
    return _Scores(*product, scale) if product is not None else None


def _matrix_product(value: Any) -> tuple[Any, Any] | None:
    """Return a and b, of the rank of `value`, where it is a · b over the last two dimensions."""
    value = plain(value)
    kind = TensorType.of(value.type)
    if kind is None:
        return None
    direct = made_by(value, "bmm", "matmul")
    if direct is not None:
        left, right = map(plain, direct.operands)
        ranks = {len(getattr(TensorType.of(v.type), "shape", ())) for v in (left, right)}
        return (left, right) if ranks == {len(kind.shape)} else None
    view = made_by(value, *_VIEWS)
    if view is None:
        return None
    inner = made_by(plain(view.operands[0]), "bmm")
    if inner is None:
        return None
    left, right = (_with_heads(v, kind) for v in inner.operands)
    return (left, right) if left is not None and right is not None else None


def _with_heads(value: Any, like: TensorType) -> Any:
    """Return the tensor whose batch dimensions, those of `like`, were made one in `value`."""
    value = plain(value)
    view = made_by(value, "view", "_unsafe_view", "reshape", "flatten.using_ints")
    if view is None:
        return None
    before, after = TensorType.of(view.operands[0].type), TensorType.of(value.type)
    if before is None or after is None or len(before.shape) != len(like.shape):
        return None
    heads = before.shape[:-2]
    if heads != like.shape[:-2] or heads.count(None) > 1 or 0 in heads:
        return None
    exact = view.name.endswith("flatten.using_ints")
    # One dynamic size follows from the others; with two, a view could mean another division.
    known = before.shape.count(None) <= 1 and before.shape[-2:] == after.shape[-2:]
    if exact:
        known = (constant_of(view.operands[1]), constant_of(view.operands[2])) == (0, len(heads) - 1)
    return plain(view.operands[0]) if known else None


def _swapped(value: Any) -> Any:
    """Return x where `value` is x with its last two dimensions swapped."""
    rank = len(getattr(TensorType.of(value.type), "shape", ()))
    made = made_by(value, "permute", "transpose.int")
    if made is None or rank < 2:
        return None
    if made.name.endswith("permute"):
        order = [d % rank for d in numbers(made.operands[1]) if d is not None]
        return plain(made.operands[0]) if order == [*range(rank - 2), rank - 1, rank - 2] else None
    dims = [constant_of(d) for d in made.operands[1:]]
    both_last = None not in dims and sorted(d % rank for d in dims) == [rank - 2, rank - 1]
    return plain(made.operands[0]) if both_last else None


def _transposed(value: Any) -> Any:
    """Swap the last two dimensions of a value."""
    kind = TensorType.of(value.type)
    assert kind is not None  # its type has been looked at
    turned = kind.with_shape((*kind.shape[:-2], kind.shape[-1], kind.shape[-2]))
    return aten("transpose.int", turned, value, -2, -1)
