"""Softmax and normalisation of rows as calls of kernels, with the casts, weight and bias around them."""

from __future__ import annotations

import math
from typing import Any

from myjit.launches import bits_of
from myjit.mlir.layouts import sizes_of
from myjit.mlir.outlining import KernelCall
from myjit.mlir.torch_dialect import TensorType
from myjit.mlir.torch_matching import either_order, plain, sum_of, uncast, uses

#: Numbers of element types in calls: those of myjit/kernels/base.py.
ELEMENTS = {
    name: i
    for i, name in enumerate(("f32", "f16", "bf16", "i1", "si64", "si32", "si16", "si8", "ui8", "f64"))
}
_LONGEST = 16384
_FLOATS = ("f32", "f16", "bf16")
_CASTS = ("torch.prims.convert_element_type", "torch.aten.to.dtype", "torch.aten._to_copy")


def softmax_call(op: Any) -> KernelCall | None:
    """Call a kernel for a softmax over the last dimension."""
    shape = _rows(op)
    if shape is None or op.attributes["dim"].value != len(shape) - 1:
        return None
    source, result = uncast(op.operands[0]), op.results[0]
    rounded = _rounding(result)
    result = rounded.results[0] if rounded is not None else result
    numbers = {
        "rows": math.prod(shape[:-1]),
        "columns": shape[-1],
        "zeros": int(op.name == "fused.safe_softmax"),
        "type": ELEMENTS[_dtype(source)],
        "result": ELEMENTS[_dtype(result)],
    }
    return KernelCall("softmax", numbers, (source,), result)


def norm_call(op: Any) -> KernelCall | None:
    """Call a kernel for a layer or RMS norm, with the weight, the bias and the rounding after it."""
    shape = _rows(op)
    if shape is None:
        return None
    source, result = uncast(op.operands[0]), op.results[0]
    weight, bias, rounded = None, None, 0
    before = _rounding(result)
    if before is not None:
        weighted, weight = _scaled(before.results[0], shape[-1])
        rounded = int(weight is not None)
        result = weighted if weight is not None else before.results[0]
    else:
        result, weight = _scaled(result, shape[-1])
        result, bias = _shifted(result, shape[-1])
        last = _rounding(result)
        result = last.results[0] if last is not None else result
    numbers = {
        "rows": math.prod(shape[:-1]),
        "columns": shape[-1],
        "centred": int(op.name == "fused.layer_norm"),
        "epsilon": bits_of(op.attributes["epsilon"].value),
        "rounded": rounded,
        "weighted": int(weight is not None),
        "biased": int(bias is not None),
        "type": ELEMENTS[_dtype(source)],
        "weight_type": ELEMENTS[_dtype(weight)] if weight is not None else 0,
        "bias_type": ELEMENTS[_dtype(bias)] if bias is not None else 0,
        "result": ELEMENTS[_dtype(result)],
    }
    inputs = (source, *(v for v in (weight, bias) if v is not None))
    return KernelCall("norm", numbers, inputs, result)


def _rows(op: Any) -> tuple[int, ...] | None:
    """Return the sizes of rows that a kernel takes."""
    shape = sizes_of(op.operands[0])
    if not shape or 0 in shape or shape[-1] > _LONGEST or _dtype(op.operands[0]) not in _FLOATS:
        return None
    return shape if _dtype(uncast(op.operands[0])) in _FLOATS else None


def _dtype(value: Any) -> str:
    kind = TensorType.of(value.type)
    return kind.dtype if kind is not None else ""


def _only_user(value: Any) -> Any:
    return next(iter(value.uses)).owner.operation if uses(value) == 1 else None


def _rounding(value: Any) -> Any:
    """Return the cast to a half type that is all that uses a value."""
    user = _only_user(value)
    if user is None or user.name not in _CASTS or user.operands[0] != value:
        return None
    return user if _dtype(user.results[0]) in ("f16", "bf16") else None


def _scaled(value: Any, columns: int) -> tuple[Any, Any]:
    """Return the product with one number a column that is all that uses a value, and the numbers."""
    user = _only_user(value)
    is_product = user is not None and user.name == "torch.aten.mul.Tensor"
    return _with_columns(user if is_product else None, value, columns)


def _shifted(value: Any, columns: int) -> tuple[Any, Any]:
    """Return the sum with one number a column that is all that uses a value, and the numbers."""
    user = _only_user(value)
    total = sum_of(user.results[0]) if user is not None and user.name == "torch.aten.add.Tensor" else None
    return _with_columns(total, value, columns)


def _with_columns(op: Any, value: Any, columns: int) -> tuple[Any, Any]:
    if op is None or op.results[0].type != value.type:
        return value, None
    for own, other in either_order(op):
        vector = uncast(plain(other))
        if own == value and sizes_of(vector) == (columns,) and _dtype(vector) in ("f32", "f16", "bf16"):
            return op.results[0], vector
    return value, None
