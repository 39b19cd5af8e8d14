"""Write dense convolutions out as loops of their own, which `multiply-by-panels` adds up where images lie.

Windows are not copied then, and channels need not be turned: numbers of the image are read one by one, from
anywhere, or of bfloat16 packed by lines. That takes a processor with vectors; IREE's own code for such loops
is slow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.panels import CONVOLUTIONS, convolves, registers
from myjit.mlir.structured import generic, multiply_add, transpose
from myjit.mlir.tensors import VIEWS, computed_apart
from myjit.passes.base import FunctionPass
from myjit.transforms.channels_last import is_pixelwise

_OF_IMAGES = "linalg.conv_2d_nchw_fchw"
#: The loops along the image, the kernel and the result: images n, groups g, channels c and f, places z, y, x,
#: and k, i, j within windows.
_TENSORS = {
    "linalg.conv_1d_ncw_fcw": ("ncx", "fcj", "nfx"),
    _OF_IMAGES: ("ncyx", "fcij", "nfyx"),
    "linalg.conv_3d_ncdhw_fcdhw": ("nczyx", "fckij", "nfzyx"),
    "linalg.conv_2d_ngchw_gfchw": ("ngcyx", "gfcij", "ngfyx"),
}
_WINDOWS = {"z": "k", "y": "i", "x": "j"}
#: The order of a weight's gradient, and from there to that of a convolution's result.
_OF_WEIGHT = (1, 0, 2, 3)


@dataclass(frozen=True)
class ConvolutionsToLoops(FunctionPass):
    """Rewrite a function's convolutions where all are dense, of known sizes, and not small.

    They are of float32, or of bfloat16 where the processor has AMX. Where others are among them, such as
    those of each channel by itself, all get their channels last instead. Kernels of one pixel stay: they are
    products as they lie.
    """

    IS_TUNING: ClassVar[bool] = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function in place."""
        has = registers(function.parent)
        ops = [op.operation for op in function.regions[0].blocks[0]]
        convolutions = [op for op in ops if op.name.startswith("linalg.") and "conv_" in op.name]
        taken = [op for op in convolutions if has and op.name in _TENSORS and convolves(op, _places(op), has)]
        others = [op for op in convolutions if op not in taken and not is_pixelwise(op)]
        if taken and not others:
            function.parent.attributes[CONVOLUTIONS] = bindings(function).ir.UnitAttr.get(function.context)
            for op in taken:
                _write_out(op)


def _places(op: Any) -> list[int]:
    """Return how many places a convolution's result has, along each dimension that columns go along."""
    shape = bindings(op).ir.ShapedType(op.results[0].type).shape
    letters = (*_WINDOWS, "n") if _is_of_weight(op) else _WINDOWS
    return [size for size, letter in zip(shape, _TENSORS[op.name][2], strict=True) if letter in letters]


def _is_of_weight(op: Any) -> bool:
    """Tell whether a convolution of bfloat16 is one that gives a weight's gradient, by its large windows.

    Its images are the channels of others, more than the result has places: they are columns as well.
    """
    ir = bindings(op).ir
    _, window, result = (ir.ShapedType(value.type) for value in op.operands)
    rank = len(_TENSORS[op.name][1]) - 2
    is_larger = math.prod(window.shape[-rank:]) > math.prod(result.shape[-rank:])
    return op.name == _OF_IMAGES and is_larger and str(window.element_type) == "bf16"


def _is_turned(value: Any) -> bool:
    """Tell whether a tensor is a transposed one, padded or converted: IREE has loops read that itself."""
    while getattr(value.owner, "name", "") in ("tensor.pad", *VIEWS) or _is_converted(value):
        value = value.owner.operands[0]
    return getattr(value.owner, "name", "") == "linalg.transpose"


def _is_converted(value: Any) -> bool:
    """Tell whether loops compute a tensor's elements each from one of another tensor."""
    if getattr(value.owner, "name", "") != "linalg.generic" or len(value.owner.operands) != 2:
        return False
    return "reduction" not in Loops(value.owner.operation).iterators


def _write_out(op: Any) -> None:
    ir = bindings(op).ir
    *sides, init = op.operands
    strides, dilations = (list(op.attributes[name]) for name in ("strides", "dilations"))
    tensors = _TENSORS[op.name]
    of_weight = _is_of_weight(op)
    if of_weight:
        tensors = (*tensors[:2], "".join(tensors[2][dim] for dim in _OF_WEIGHT))
    inner = [letter for letter in tensors[1] if letter not in tensors[2]]
    loops = [*tensors[2], *inner]
    places = [letter for letter in tensors[0] if letter in _WINDOWS]

    def place(letter: str, *, of_image: bool) -> Any:
        at = ir.AffineDimExpr.get(loops.index(letter))
        if not of_image or letter not in places:
            return at
        inside = ir.AffineDimExpr.get(loops.index(_WINDOWS[letter]))
        dim = places.index(letter)
        return at * strides[dim] + inside * dilations[dim]

    maps = [
        ir.AffineMap.get(len(loops), 0, [place(letter, of_image=i == 0) for letter in along])
        for i, along in enumerate(tensors)
    ]
    with ir.InsertionPoint(op), op.location:
        if str(ir.ShapedType(sides[0].type).element_type) == "bf16":
            sides = [computed_apart(side) if _is_turned(side) else side for side in sides]
        if of_weight:
            init = transpose(init, _OF_WEIGHT)
        result = generic(sides, init, maps, len(inner), multiply_add)
        op.results[0].replace_all_uses_with(transpose(result, _OF_WEIGHT) if of_weight else result)
        if of_weight:
            _keep_lines(result)
    op.erase()


def _keep_lines(value: Any) -> None:
    """Have what turns a gradient, where channels lie last, read it from memory: panels write it as it is."""
    ir = bindings(value).ir
    while len(uses := list(value.uses)) == 1:
        user = uses[0].owner.operation
        if user.name == "linalg.transpose":
            *_, last = user.attributes["permutation"]
            if last != len(user.attributes["permutation"]) - 1:
                with ir.InsertionPoint(user), user.location:
                    user.operands[0] = computed_apart(value)
                return
        elif user.name not in ("linalg.generic", "tensor.extract_slice"):
            return
        value = user.results[0]
