"""Compute convolutions and poolings of images with the channels last in memory: vectors are made of them.

IREE's kernels for channels first are up to 20 times slower where each channel has a kernel of its own.
It moves the transposes that this leaves through what computes elementwise, so few of them stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.launches import parse_call
from myjit.mlir.context import bindings
from myjit.mlir.structured import empty, fill, generic, multiply_add, structured, transpose
from myjit.mlir.tensors import constant, size
from myjit.passes.base import FunctionPass

_LAST, _FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
_CONVOLUTION, _DEPTHWISE = "linalg.conv_2d_nchw_fchw", "linalg.depthwise_conv_2d_nchw_chw"
_POOLINGS = {
    "linalg.pooling_nchw_max": ("linalg.pooling_nhwc_max", "arith.maximumf"),
    "linalg.pooling_nchw_sum": ("linalg.pooling_nhwc_sum", "arith.addf"),
}
_FLOATS = ("f16", "bf16", "f32", "f64")


@dataclass(frozen=True)
class ChannelsLast(FunctionPass):
    """Rewrite 2-D convolutions of floats, and the poolings of a function that has any.

    Those of at most `few` channels with overlapping patches become direct loops; the others keep a form
    that `convolutions-to-products` takes up. Where all take one pixel at a time they stay: they are
    products as they lie. Without `convolve` all stay, and poolings are rewritten beside those that a
    kernel was outlined for.
    """

    few: int = 4
    convolve: bool = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of a linalg module in place."""
        ir = bindings(function).ir
        operations = [op.operation for op in function.regions[0].blocks[0]]
        if not self.convolve:
            if any(_is_outlined(op) for op in operations):
                self._rewrite([op for op in operations if op.name in _POOLINGS and _is_float(ir, op)])
            return
        convolutions = [
            op for op in operations if op.name in (_CONVOLUTION, _DEPTHWISE) and _is_float(ir, op)
        ]
        poolings = [op for op in operations if op.name in _POOLINGS and _is_float(ir, op)]
        if not poolings and all(is_pixelwise(op) for op in convolutions):
            return
        self._rewrite([*convolutions, *(poolings if convolutions else ())])

    def _rewrite(self, found: Sequence[Any]) -> None:
        for op in found:
            with bindings(op).ir.InsertionPoint(op), op.location:
                result = _pool(op) if op.name in _POOLINGS else self._convolve(op)
                op.results[0].replace_all_uses_with(transpose(result, _FIRST))
            op.erase()

    def _convolve(self, op: Any) -> Any:
        image, kernel, init = op.operands
        steps = {name: op.attributes[name] for name in ("strides", "dilations")}
        if op.name == _DEPTHWISE:
            name, kernel = "linalg.depthwise_conv_2d_nhwc_hwc", _settled(kernel, (1, 2, 0))
        elif self._is_direct(op):
            name, kernel = "linalg.conv_2d_nhwc_hwcf", _settled(kernel, (2, 3, 1, 0))
        else:
            name, kernel = "linalg.conv_2d_nhwc_fhwc", transpose(kernel, _LAST)
        return structured(name, [_channels_last(image), kernel], _channels_last(init), steps, multiply_add)

    def _is_direct(self, op: Any) -> bool:
        channels, *kernel = (size(op.operands[1], dim) for dim in (1, 2, 3))
        if not all(isinstance(each, int) for each in (channels, *kernel)):
            return False
        overlaps = any(extent > step for extent, step in zip(kernel, op.attributes["strides"], strict=True))
        return overlaps and channels <= self.few


def _is_outlined(op: Any) -> bool:
    """Tell whether a convolution is called here."""
    call = parse_call(str(op.attributes["callee"]).removeprefix("@")) if op.name == "func.call" else None
    return call is not None and call[0] in ("convolution", "depthwise")


def is_pixelwise(op: Any) -> bool:
    """Tell whether a convolution of floats, channels first, takes pixels from the ones in their place."""
    ir = bindings(op).ir
    if op.name != _CONVOLUTION or not _is_float(ir, op):
        return False
    kernel = ir.RankedTensorType(op.operands[1].type).shape[2:]
    return all(extent == 1 for extent in (*kernel, *op.attributes["strides"]))


def _pool(op: Any) -> Any:
    image, window, init = op.operands
    name, combine = _POOLINGS[op.name]
    steps = {key: op.attributes[key] for key in ("strides", "dilations")}

    def body(ir: Any, element: Any, _: Any, result: Any) -> Any:
        return ir.Operation.create(combine, [result.type], [result, element]).results[0]

    return structured(name, [_channels_last(image), window], _channels_last(init), steps, body)


def _is_float(ir: Any, op: Any) -> bool:
    if op.name not in (_CONVOLUTION, _DEPTHWISE, *_POOLINGS):
        return False
    elements = {str(ir.ShapedType(value.type).element_type) for value in op.operands}
    if op.name in _POOLINGS:
        return len(elements) == 1 and elements <= set(_FLOATS)
    image, kernel, result = (str(ir.ShapedType(value.type).element_type) for value in op.operands)
    widens = _FLOATS.index(result) >= _FLOATS.index(image) if elements <= set(_FLOATS) else False
    return widens and image == kernel


def _channels_last(value: Any) -> Any:
    """Build the transposed tensor, through what makes the tensor where that costs less."""
    owner = getattr(value.owner, "operation", value.owner)
    name = getattr(owner, "name", "")
    if name == "linalg.fill":
        return fill(owner.operands[0], empty(value, [size(value, dim) for dim in _LAST]))
    if name == "tensor.pad" and len(owner.operands) == 1:
        return _pad(owner)
    if name == "linalg.broadcast" and list(owner.attributes["dimensions"]) == [0, 2, 3]:
        init = empty(value, [size(value, dim) for dim in _LAST])
        added = {"dimensions": bindings(value).ir.DenseI64ArrayAttr.get([0, 1, 2])}
        return structured(name, [owner.operands[0]], init, added, lambda ir, element, old: element)
    return transpose(value, _LAST)


def _pad(op: Any) -> Any:
    """Build a padding of static extents with the channels last."""
    ir = bindings(op).ir
    source, kind = _channels_last(op.operands[0]), ir.RankedTensorType(op.results[0].type)
    sides = {name: list(op.attributes[name]) for name in ("static_low", "static_high")}
    pad = ir.Operation.create(
        "tensor.pad",
        [ir.RankedTensorType.get([kind.shape[dim] for dim in _LAST], kind.element_type)],
        [source],
        {
            **{
                name: ir.DenseI64ArrayAttr.get([extents[d] for d in _LAST]) for name, extents in sides.items()
            },
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0]),
        },
        regions=1,
    )
    block = pad.regions[0].blocks.append(
        *[ir.IndexType.get()] * kind.rank, arg_locs=[ir.Location.current] * kind.rank
    )
    with ir.InsertionPoint(block):
        ir.Operation.create("tensor.yield", [], [_padding(op)])
    return pad.results[0]


def _padding(op: Any) -> Any:
    return list(op.regions[0].blocks[0])[-1].operands[0]


def _settled(kernel: Any, order: Sequence[int]) -> Any:
    """Build a transposed kernel that stays one.

    IREE would let the convolution read the kernel as it lies, one element at a time: 16 times slower. It
    does not do so through arithmetic, and zero is what changes nothing.
    """
    ir = bindings(kernel).ir
    element = ir.RankedTensorType(kernel.type).element_type
    zero = constant(ir, element, ir.FloatAttr.get(element, 0.0))
    places = [ir.AffineDimExpr.get(order.index(dim)) for dim in range(len(order))]
    maps = [ir.AffineMap.get(len(order), 0, places), ir.AffineMap.get_identity(len(order))]
    init = empty(kernel, [size(kernel, dim) for dim in order])

    def body(ir: Any, value: Any, _: Any) -> Any:
        return ir.Operation.create("arith.addf", [element], [value, zero]).results[0]

    return generic([kernel], init, maps, 0, body)
