"""Compute convolutions as matrix products: of the image's patches, channels last, and the kernels.

Kernels of one pixel multiply images with the channels first as they lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.structured import collapse, empty, expand, generic, multiply_add, structured
from myjit.mlir.tensors import size
from myjit.passes.base import FunctionPass
from myjit.transforms.channels_last import is_pixelwise


@dataclass(frozen=True)
class ConvolutionsToProducts(FunctionPass):
    """Rewrite each `linalg.conv_2d_nhwc_fhwc`, and `linalg.conv_2d_nchw_fchw` of one pixel."""

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of a linalg module in place."""
        ir = bindings(function).ir
        for op in [op.operation for op in function.regions[0].blocks[0]]:
            build = _product if op.name == "linalg.conv_2d_nhwc_fhwc" else _product_by_pixel
            if build is _product or is_pixelwise(op):
                with ir.InsertionPoint(op), op.location:
                    op.results[0].replace_all_uses_with(build(ir, op))
                op.erase()


def _product(ir: Any, op: Any) -> Any:
    image, kernel, init = op.operands
    pixels = [[0, 1, 2], [3]]
    patches = _patches(ir, op) if _has_patches(op) else image
    rows = collapse(patches, [[0, 1, 2], list(range(3, len(patches.type.shape)))])
    row, column, depth = (ir.AffineDimExpr.get(i) for i in range(3))
    maps = [ir.AffineMap.get(3, 0, each) for each in ([row, depth], [column, depth], [row, column])]
    # By its name: IREE moves the transposes around it into loops that it does not know for a product.
    transposed = {"indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps])}
    factors = [rows, collapse(kernel, [[0], [1, 2, 3]])]
    sums = structured("linalg.matmul", factors, collapse(init, pixels), transposed, multiply_add)
    return expand(sums, [size(init, dim) for dim in range(4)], pixels)


def _product_by_pixel(ir: Any, op: Any) -> Any:
    """Build, for each image, the product of the kernel and the pixels side by side."""
    image, kernel, init = op.operands
    batch, row, column, depth = (ir.AffineDimExpr.get(i) for i in range(4))
    maps = [
        ir.AffineMap.get(4, 0, each) for each in ([row, depth], [batch, depth, column], [batch, row, column])
    ]
    pixels = [[0], [1], [2, 3]]
    factors = [collapse(kernel, [[0], [1, 2, 3]]), collapse(image, pixels)]
    sums = generic(factors, collapse(init, pixels), maps, 1, multiply_add)
    return expand(sums, [size(init, dim) for dim in range(4)], pixels)


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
