"""Write a padded tensor in steps into one filled with the same number as what the tensor holds inside.

MLIR's canonicalizer does so too (`FoldInsertPadIntoFill`), but moves the place by the padding, not by as many
steps: a transposed convolution of a padded image came out wrong. Where this pass has run it finds nothing:
as long as the numbers are not known for constants, padding becomes a slice of a filled tensor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations
from myjit.mlir.slices import mixed, where
from myjit.mlir.structured import empty, fill
from myjit.mlir.tensors import index, size
from myjit.passes.base import Pass, functions

_CASTS = ("tensor.cast", "torch_c.to_builtin_tensor", "torch_c.from_builtin_tensor")


@dataclass(frozen=True)
class InsertPadded(Pass):
    """Leave the padding out of `tensor.insert_slice` in steps, where it is what stands there already."""

    def run(self, module: Any) -> None:
        """Rewrite every function of a module in place."""
        for dialect in ("arith", "linalg", "tensor"):
            module.context.dialects[dialect]  # loads it
        for function in functions(module):
            for op in [op for op in operations(function) if op.name == "tensor.insert_slice"]:
                if _writes_padding_in_steps(op):
                    _rewrite(op)


def _writes_padding_in_steps(op: Any) -> bool:
    ir = bindings(op).ir
    ranks = {ir.RankedTensorType(value.type).rank for value in list(op.operands)[:2]}
    is_padded = _name(_maker(op.operands[0])) == "tensor.pad"
    return is_padded and len(ranks) == 1 and any(step != 1 for step in where(op)[2])


def _rewrite(op: Any) -> None:
    """Rewrite a slice that the canonicalizer would, or may once it knows more."""
    target, apart = _maker(op.operands[1]), True
    while _name(target) == "tensor.insert_slice":
        if _overlap(op, target):
            return
        apart = apart and _are_apart(op, target)
        target = _maker(target.operands[1])
    if _name(target) != "linalg.fill":
        return
    padding = _padding(_maker(op.operands[0]))
    own, other = _number(padding), _number(target.operands[0])
    if own is None or other is None or not apart:
        with bindings(op).ir.InsertionPoint(op), op.location:
            op.operands[0] = _as_slice(op.operands[0], padding)
    elif own == other:
        op.results[0].replace_all_uses_with(_insert_inside(op))
        op.erase()


def _maker(value: Any) -> Any:
    """Return what makes a value, before casts."""
    while _name(value.owner) in _CASTS:
        value = value.owner.operands[0]
    return value.owner


def _name(owner: Any) -> str:
    """Name what a value comes from; empty for a block, whose argument it is."""
    return getattr(owner, "name", "")


def _padding(pad: Any) -> Any:
    *_, end = pad.regions[0].blocks[0]
    return end.operands[0]


def _number(value: Any) -> Any:
    """Return the attribute of a constant."""
    return value.owner.attributes["value"] if _name(value.owner) == "arith.constant" else None


def _are_apart(one: Any, other: Any) -> bool:
    """Tell whether two slices have nothing in common, by their places along one dimension."""
    ranges = [list(_ranges(op)) for op in (one, other)]
    return any(a and b and (a[-1] < b[0] or b[-1] < a[0]) for a, b in zip(*ranges, strict=True))


def _overlap(one: Any, other: Any) -> bool:
    """Tell whether all places of two slices are known, and along no dimension apart."""
    known = all(places is not None for op in (one, other) for places in _ranges(op))
    return known and not _are_apart(one, other)


def _ranges(op: Any) -> Iterator[range | None]:
    for places in zip(*where(op), strict=True):
        if all(isinstance(each, int) for each in places):
            start, count, step = places
            yield range(start, start + count * step, step)
        else:
            yield None


def _as_slice(padded: Any, padding: Any) -> Any:
    """Build a padded tensor as a slice written into a filled one."""
    pad = _maker(padded)
    rank = bindings(padded).ir.RankedTensorType(padded.type).rank
    filled = fill(padding, empty(padded, [size(padded, dim) for dim in range(rank)]))
    return _insert(pad.operands[0], filled, mixed(pad, "low", 1), [1] * rank)


def _insert_inside(op: Any) -> Any:
    """Build the slice that takes what is padded, as many places further as there is padding before it."""
    ir = bindings(op).ir
    pad = _maker(op.operands[0])
    with ir.InsertionPoint(op), op.location:
        begins, _, steps = where(op)
        places = zip(begins, mixed(pad, "low", 1), steps, strict=True)
        offsets = [_sum(ir, offset, _product(ir, low, step)) for offset, low, step in places]
        return _insert(pad.operands[0], op.operands[1], offsets, steps)


def _insert(source: Any, target: Any, offsets: list[Any], steps: list[Any]) -> Any:
    ir = bindings(source).ir
    lists = {
        "offsets": offsets,
        "sizes": [size(source, dim) for dim in range(len(steps))],
        "strides": steps,
    }
    moving = {kind: [v for v in values if not isinstance(v, int)] for kind, values in lists.items()}
    dynamic = ir.ShapedType.get_dynamic_size()
    attributes = {
        f"static_{kind}": ir.DenseI64ArrayAttr.get([v if isinstance(v, int) else dynamic for v in values])
        for kind, values in lists.items()
    }
    counts = [1, 1, *(len(values) for values in moving.values())]
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(counts)
    operands = [source, target, *(v for values in moving.values() for v in values)]
    return ir.Operation.create("tensor.insert_slice", [target.type], operands, attributes).results[0]


def _sum(ir: Any, left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    return _computed(ir, "arith.addi", left, right)


def _product(ir: Any, left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    return _computed(ir, "arith.muli", left, right)


def _computed(ir: Any, name: str, left: Any, right: Any) -> Any:
    operands = [index(ir, v) if isinstance(v, int) else v for v in (left, right)]
    return ir.Operation.create(name, [ir.IndexType.get()], operands).results[0]
