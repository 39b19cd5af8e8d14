"""Where slices of tensors lie: numbers that operations know, and values in place of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from myjit.mlir.context import bindings

#: By operation: which operand is the whole, and which segment of the operands holds offsets.
#: Those of sizes and strides follow.
_SLICES = {
    "tensor.extract_slice": (0, 1),
    "tensor.insert_slice": (1, 2),
    "iree_tensor_ext.dispatch.tensor.load": (0, 2),
    "iree_tensor_ext.dispatch.tensor.store": (1, 3),
}
#: How many elements IREE reads and writes at once in code for SPIR-V: of 64 bits, and of less.
VECTORS = (2, 4)


def mixed(op: Any, kind: str, segment: int) -> list[Any]:
    """Return the numbers of a kind, `offsets` of a slice or `low` of a padding, which some values stand for.

    These values are that segment of the operation's operands.
    """
    segments = list(op.attributes["operandSegmentSizes"])
    first = sum(segments[:segment])
    given = iter(list(op.operands)[first : first + segments[segment]])
    dynamic = bindings(op).ir.ShapedType.get_dynamic_size()
    return [next(given) if each == dynamic else each for each in op.attributes[f"static_{kind}"]]


def where(op: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the offsets, the sizes and the strides of the slice that an operation reads or writes."""
    _, first = _SLICES[op.name]
    return mixed(op, "offsets", first), mixed(op, "sizes", first + 1), mixed(op, "strides", first + 2)


def whole_type(op: Any) -> Any:
    """Return the type of the tensor that an operation reads or writes a slice of."""
    ir = bindings(op).ir
    operand, _ = _SLICES[op.name]
    kind = op.operands[operand].type
    if op.name.startswith("tensor."):
        return ir.RankedTensorType(kind)
    return ir.RankedTensorType(ir.Type.parse(str(kind).partition(":")[2].removesuffix(">"), op.context))


def begins_within_vector(whole: Sequence[int], offsets: Sequence[Any], sizes: Sequence[Any]) -> bool:
    """Tell whether rows, of a slice and of the whole, consist of vectors, and the slice begins within one.

    `whole` has a negative number for each size that is not known. Dimensions that the slice has all of count
    as one with those before them.
    """
    inner = 1
    for extent, offset, size in reversed(list(zip(whole, offsets, sizes, strict=True))):
        known = isinstance(size, int) and extent >= 0
        if not known or size != extent:
            place = offset * inner if isinstance(offset, int) else None
            lengths = (extent * inner, size * inner) if known else ()
            return any(
                all(length % vector == 0 for length in lengths) and (place is None or place % vector != 0)
                for vector in VECTORS
            )
        inner *= extent
    return False
