"""Where slices of tensors lie: numbers that operations know, and values in place of the others."""

from __future__ import annotations

from typing import Any

from myjit.mlir.context import bindings


def mixed(op: Any, kind: str, segment: int) -> list[Any]:
    """Return the numbers of a kind, `offsets` of a slice or `low` of a padding, which some values stand for.

    These values are that segment of the operation's operands.
    """
    segments = list(op.attributes["operandSegmentSizes"])
    first = sum(segments[:segment])
    given = iter(list(op.operands)[first : first + segments[segment]])
    dynamic = bindings(op).ir.ShapedType.get_dynamic_size()
    return [next(given) if each == dynamic else each for each in op.attributes[f"static_{kind}"]]
