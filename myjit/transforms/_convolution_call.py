"""Convolutions of images as calls: of the device maker's library, or of a kernel for single channels.

Both compute with the channels last in memory, which the library is fastest at in every type. The transposes
that this takes stand outside of the call, where IREE moves them through what computes elementwise.
"""

from __future__ import annotations

import math
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.layouts import sizes_of
from myjit.mlir.outlining import KernelCall
from myjit.mlir.torch_dialect import TensorType, aten
from myjit.mlir.torch_matching import numbers
from myjit.transforms._row_calls import ELEMENTS

_LAST, _FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
#: Elements of a tensor that are counted in 32 bits.
_MOST = 2**31 - 1


def convolution_call(op: Any) -> KernelCall | None:
    """Call a kernel for a convolution of images of known sizes; the bias is added to its result."""
    given = _numbers(op)
    if given is None:
        return None
    kernel = "depthwise" if 1 < given["groups"] == given["c"] == given["k"] else "convolution"
    image, weight, bias, *_ = op.operands
    kind = TensorType.of(op.results[0].type)
    assert kind is not None
    with bindings(op).ir.InsertionPoint(op), op.location:
        image = _turned(image, _LAST)
        op.operands[0] = _turned(image, _FIRST)
        if kernel == "convolution":  # the kernel for single channels reads weights as they lie
            weight = _turned(weight, _LAST)
            op.operands[1] = _turned(weight, _FIRST)
        plain = aten("convolution", kind, *list(op.operands)[:2], None, *list(op.operands)[3:])
        result = shifted = _turned(plain, _LAST)
        if "none" not in str(bias.type):
            shifted = aten("add.Tensor", result.type, result, bias, 1)
        op.results[0].replace_all_uses_with(_turned(shifted, _FIRST))
    op.erase()
    return KernelCall(kernel, given, (image, weight), result)


def _numbers(op: Any) -> dict[str, int] | None:
    """Return the numbers of the call; None where no kernel serves."""
    image, weight, _, *lists = op.operands
    sizes, kernel, result = sizes_of(image), sizes_of(weight), sizes_of(op.results[0])
    if sizes is None or kernel is None or result is None or len(sizes) != 4:
        return None
    kinds = [TensorType.of(v.type) for v in (image, weight, op.results[0])]
    dtypes = {kind.dtype for kind in kinds if kind is not None}
    steps, pads, apart = (numbers(values) for values in lists[:3])
    groups = constant_of(op.operands[8])
    if len(dtypes) != 1 or not dtypes <= {"f32", "f16", "bf16"}:
        return None
    if constant_of(op.operands[6]) != 0 or groups is None or None in (*steps, *pads, *apart):
        return None
    if 0 in (*sizes, *kernel, *result) or max(map(math.prod, (sizes, kernel, result))) > _MOST:
        return None
    if any(len(each) != 2 for each in (steps, pads, apart)) or min(pads) < 0:
        return None
    named = dict(zip(("n", "c", "h", "w"), sizes, strict=True))
    named |= dict(zip(("k", "r", "s"), (kernel[0], *kernel[2:]), strict=True))
    named |= dict(zip(("p", "q"), result[2:], strict=True))
    for name, (down, across) in (("step", steps), ("pad", pads), ("apart", apart)):
        named |= {f"{name}h": down, f"{name}w": across}
    return {
        **named,
        "groups": groups,
        "type": ELEMENTS[dtypes.pop()],
    }


def _turned(value: Any, order: tuple[int, ...]) -> Any:
    kind = TensorType.of(value.type)
    assert kind is not None  # its sizes are known
    return aten("permute", kind.with_shape([kind.shape[d] for d in order]), value, list(order))
