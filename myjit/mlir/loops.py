"""The loops of a linalg operation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings

#: Named operations, which do not spell their loops out: the parallel ones, before one reduction.
_NAMED = {"linalg.matmul": 2, "linalg.batch_matmul": 3}


@dataclass(frozen=True)
class Loops:
    """An operation of linalg, seen as loops over its tensors."""

    operation: Any

    @property
    def iterators(self) -> list[str]:
        """The kinds of the operation's loops, `parallel` or `reduction`; empty where it does not say."""
        attributes = self.operation.attributes
        if self.operation.name in _NAMED:
            return [*["parallel"] * _NAMED[self.operation.name], "reduction"]
        if "iterator_types" not in attributes:
            return []
        return [
            "reduction" if "reduction" in str(kind) else "parallel" for kind in attributes["iterator_types"]
        ]

    @property
    def parallel(self) -> list[int]:
        """Which of the loops are parallel."""
        return [loop for loop, kind in enumerate(self.iterators) if kind == "parallel"]

    def ends_in_rows(self) -> bool:
        """Tell whether the last loop is a reduction, where there is one: what is reduced lies together."""
        return "reduction" not in self.iterators or self.iterators[-1] == "reduction"

    def extents(self) -> list[int]:
        """Return how often each loop runs, -1 where that is not known."""
        ir = bindings(self.operation).ir
        maps = self.maps()
        found = [-1] * (maps[0].n_dims if maps else 0)
        for value, along in zip(self.operation.operands, self.along(), strict=True):
            for position, loop in enumerate(along):
                shape = ir.ShapedType(value.type)
                if loop >= 0 and not shape.is_dynamic_dim(position):
                    found[loop] = shape.get_dim_size(position)
        return found

    def element_types(self) -> list[str]:
        """Return the element type of each tensor that the operation takes."""
        ir = bindings(self.operation).ir
        types = [value.type for value in self.operation.operands]
        return [str(ir.ShapedType(t).element_type) for t in types if isinstance(t, ir.ShapedType)]

    def along(self) -> list[list[int]]:
        """Return, for each tensor, the loop along each of its dimensions, -1 where no single one is."""
        ir = bindings(self.operation).ir
        return [
            [r.position if isinstance(r, ir.AffineDimExpr) else -1 for r in m.results] for m in self.maps()
        ]

    def across(self) -> set[int]:
        """Return the loops that some tensors lie along, where others lie along the last loop.

        One of fewer dimensions than the largest, a vector beside a matrix, says nothing of how they lie.
        """
        last, most = len(self.iterators) - 1, max(map(len, self.along()), default=0)
        along = [loops for loops in self.along() if last in loops]
        if all(loops[-1] != last or len(loops) < most for loops in along):
            return set()
        return {loops[-1] for loops in along} - {last}

    def goes_down_columns(self) -> bool:
        """Tell whether the largest tensors that are reduced lie along a loop that stays."""
        *inputs, _ = self.along()
        most = max(map(len, inputs), default=0)
        ends = {loops[-1] for loops in inputs if loops and len(loops) == most}
        return "reduction" in self.iterators and all(
            self.iterators[loop] == "parallel" for loop in ends - {-1}
        )

    def maps(self) -> list[Any]:
        """Return the affine map from the loops to each operand's dimensions; none for what is no loops."""
        of = bindings(self.operation)
        return [of.ir.AffineMapAttr(map_).value for map_ in of.linalg.get_indexing_maps(self.operation) or ()]

    def inner_loops(self) -> list[int]:
        """Return, for each tensor, the loop along its innermost dimension, -1 where no single one is."""
        return [loops[-1] if loops else -1 for loops in self.along()]

    def is_plain(self) -> bool:
        """Tell whether each dimension of each tensor lies along one loop, or has one element."""
        ir = bindings(self.operation).ir
        return all(
            isinstance(each, ir.AffineDimExpr)
            or (isinstance(each, ir.AffineConstantExpr) and each.value == 0)
            for map_ in self.maps()
            for each in map_.results
        )

    def is_elementwise(self) -> bool:
        """Tell whether the loops are parallel and read every tensor of their rank in its own order.

        The result may have its outer dimensions in another order.
        """
        order = list(range(len(self.iterators)))
        if not order or "reduction" in self.iterators:
            return False
        *inputs, result = self.along()
        return all(loops == order for loops in inputs if len(loops) == len(order)) and result[-1] == order[-1]

    def keeps_order(self) -> bool:
        """Tell whether the loops read one tensor, and write one, each element in its place."""
        return self.along() == [list(range(len(self.iterators)))] * 2

    def starts_from_zero(self) -> bool:
        """Tell whether a reduction of two tensors begins with zeros."""
        start = self.operation.operands[2].owner
        return getattr(start, "name", "") == "linalg.fill" and constant_of(start.operands[0]) == 0.0

    def multiplies(self, *, widening: bool = False) -> bool:
        """Tell whether this is a named product, or loops that multiply (`widening` the sides) and add."""
        if self.operation.name in _NAMED:
            return True
        body = [*["arith.extf"] * (2 * widening), "arith.mulf", "arith.addf", "linalg.yield"]
        return (
            self.operation.name == "linalg.generic"
            and [op.operation.name for op in self.operation.regions[0].blocks[0]] == body
        )

    def factors(self) -> str:
        """Return the type of two tensors whose products this adds up in f32, empty where it does not."""
        elements = self.element_types()
        if elements[1:] != [elements[0], "f32"] or not self.multiplies(widening=elements[0] != "f32"):
            return ""
        return elements[0]
