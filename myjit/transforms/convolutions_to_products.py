"""Compute convolutions with the channels last as matrix products: of the image's patches and the kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.structured import empty, generic, multiply_add, structured
from myjit.mlir.tensors import size
from myjit.passes.base import FunctionPass


@dataclass(frozen=True)
class ConvolutionsToProducts(FunctionPass):
    """Rewrite each `linalg.conv_2d_nhwc_fhwc`; a kernel of one pixel takes the image as it is."""

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of a linalg module in place."""
        ir = bindings(function).ir
        for op in [op.operation for op in function.regions[0].blocks[0]]:
            if op.name == "linalg.conv_2d_nhwc_fhwc":
                with ir.InsertionPoint(op), op.location:
                    op.results[0].replace_all_uses_with(_product(ir, op))
                op.erase()


def _product(ir: Any, op: Any) -> Any:
    image, kernel, init = op.operands
    rows = _collapse(ir, _patches(ir, op), 3) if _has_patches(op) else _collapse(ir, image, 3)
    row, column, depth = (ir.AffineDimExpr.get(i) for i in range(3))
    maps = [ir.AffineMap.get(3, 0, each) for each in ([row, depth], [column, depth], [row, column])]
    # By its name: IREE moves the transposes around it into loops that it does not know for a product.
    transposed = {"indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps])}
    factors = [rows, _collapse(ir, kernel, 1)]
    sums = structured("linalg.matmul", factors, _collapse(ir, init, 3), transposed, multiply_add)
    return _expand(ir, sums, init)


def _has_patches(op: Any) -> bool:
    kernel = [size(op.operands[1], dim) for dim in (1, 2)]
    return any(extent != 1 for extent in (*kernel, *op.attributes["strides"]))


def _patches(ir: Any, op: Any) -> Any:
    """Build the patch of every pixel of the result: batch, its place, and the kernel's own dimensions."""
    image, kernel, init = op.operands
    sizes = [*(size(init, dim) for dim in range(3)), *(size(kernel, dim) for dim in (1, 2, 3))]
    batch, y, x, dy, dx, channel = (ir.AffineDimExpr.get(i) for i in range(6))
    strides, dilations = (list(op.attributes[name]) for name in ("strides", "dilations"))
    place = [y * strides[0] + dy * dilations[0], x * strides[1] + dx * dilations[1]]
    maps = [ir.AffineMap.get(6, 0, [batch, *place, channel]), ir.AffineMap.get_identity(6)]
    return generic([image], empty(image, sizes), maps, 0, lambda _, element, old: element)


def _collapse(ir: Any, value: Any, outer: int) -> Any:
    """Build a matrix of a tensor whose first `outer` dimensions are its rows."""
    kind = ir.RankedTensorType(value.type)
    groups = [list(range(outer)), list(range(outer, kind.rank))]
    unknown = ir.ShapedType.get_dynamic_size()
    shape = [
        unknown if any(kind.is_dynamic_dim(d) for d in group) else math.prod(kind.shape[d] for d in group)
        for group in groups
    ]
    matrix = ir.RankedTensorType.get(shape, kind.element_type)
    reassociation = {"reassociation": _reassociation(ir, groups)}
    return ir.Operation.create("tensor.collapse_shape", [matrix], [value], reassociation).results[0]


def _expand(ir: Any, value: Any, like: Any) -> Any:
    """Build a tensor of the form of `like` from a matrix of its last dimension's columns."""
    sizes = [size(like, dim) for dim in range(4)]
    static = [each if isinstance(each, int) else ir.ShapedType.get_dynamic_size() for each in sizes]
    attributes = {
        "reassociation": _reassociation(ir, [[0, 1, 2], [3]]),
        "static_output_shape": ir.DenseI64ArrayAttr.get(static),
    }
    operands = [value, *(each for each in sizes if not isinstance(each, int))]
    return ir.Operation.create("tensor.expand_shape", [like.type], operands, attributes).results[0]


def _reassociation(ir: Any, groups: Sequence[Sequence[int]]) -> Any:
    return ir.Attribute.parse(str([list(group) for group in groups]))
