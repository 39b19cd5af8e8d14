"""What programs need to know of a ranked tensor value while they run."""

from __future__ import annotations

from typing import Any

from myjit.mlir.context import bindings


def dynamic_sizes(value: Any) -> list[Any]:
    """Build the sizes of a tensor's dynamic dimensions, in order, at the current insertion point."""
    ir = bindings(value).ir
    kind, index = ir.RankedTensorType(value.type), ir.IndexType.get()
    sizes = []
    for dim in range(kind.rank):
        if kind.is_dynamic_dim(dim):
            number = {"value": ir.IntegerAttr.get(index, dim)}
            place = ir.Operation.create("arith.constant", [index], [], number).results[0]
            sizes.append(ir.Operation.create("tensor.dim", [index], [value, place]).results[0])
    return sizes
