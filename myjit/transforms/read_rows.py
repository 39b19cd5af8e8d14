"""Have tables that are read in rows (embeddings, caches) read by whole vector registers.

The code generator takes a number read from a place that other data names for one of a row only if that place
does not change along the row. Of data that the loops bring in it does not look into it, and gathers number by
number. So the loops no longer bring such data in: what they compute reads it for itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.bodies import EXTRACT, extracts
from myjit.mlir.context import bindings
from myjit.mlir.dispatches import Tiled, dispatches
from myjit.passes.base import Pass

#: What brings a dispatch's inputs in, in memory that can be read anywhere.
_LOADS = ("iree_codegen.load_from_buffer", "iree_tensor_ext.dispatch.tensor.load")


@dataclass(frozen=True)
class ReadRows(Pass):
    """Rewrite pointwise loops that read rows of a table."""

    IS_TUNING: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Rewrite what the loops of dispatches compute, in place."""
        for dispatch in dispatches(module, "DoubleTilingExpert"):
            for tiled in dispatch:
                if tiled.iterators and "reduction" not in tiled.iterators:
                    _read_rows(tiled)


def _read_rows(tiled: Tiled) -> None:
    """Have places of rows read inside of the loops."""
    last = len(tiled.iterators) - 1
    along = tiled.along()
    block = tiled.operation.regions[0].blocks[0]
    named = {n for op in extracts(tiled.operation) for n in _places(op, block, last)}
    movable = [n for n in sorted(named) if not {-1, last} & set(along[n]) and _is_loaded(tiled, n)]
    for number in movable:
        _read_inside(block, number, tiled.operation.operands[number], along[number])


def _is_loaded(tiled: Tiled, number: int) -> bool:
    source = tiled.operation.operands[number]
    return not _is_argument(source) and source.owner.name in _LOADS


def _places(read: Any, block: Any, last: int) -> set[int]:
    """Return the numbers of the tensors that name the rows read from; none where it is not in rows."""
    places = list(read.operands)[1:]
    if not places or _index_dim(places[-1]) != last:
        return set()
    rows = places[:-1]
    values = list(_computed_from(rows, block))
    if any(_index_dim(value) == last for value in values):
        return set()
    arguments = list(block.arguments)
    return {arguments.index(value) for value in values if value in arguments}


def _computed_from(values: list[Any], block: Any) -> Iterator[Any]:
    """Yield these values and all of the block that they are made of."""
    for value in values:
        yield value
        if not _is_argument(value) and value.owner.parent == block.owner:
            yield from _computed_from(list(value.owner.operands), block)


def _index_dim(value: Any) -> int:
    """Return the loop that a value counts, -1 where it does not."""
    is_index = not _is_argument(value) and value.owner.name == "linalg.index"
    return value.owner.attributes["dim"].value if is_index else -1


def _is_argument(value: Any) -> bool:
    return isinstance(value.owner, bindings(value).ir.Block)


def _read_inside(block: Any, number: int, source: Any, along: list[int]) -> None:
    argument = block.arguments[number]
    ir = bindings(source).ir
    word, kind = ir.IntegerType.get_signless(64), ir.IndexType.get()
    with ir.InsertionPoint.at_block_begin(block), block.owner.operation.location:
        places = []
        for loop in along:
            dim = {"dim": ir.IntegerAttr.get(word, loop)}
            places += ir.Operation.create("linalg.index", [kind], [], dim).results
        element = ir.Operation.create(EXTRACT, [argument.type], [source, *places]).results[0]
    argument.replace_all_uses_with(element)
