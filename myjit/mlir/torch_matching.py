"""Recognise what a value of the torch dialect computes: casts, products, means of rows, filled tensors.

Everything here looks backwards from a value and changes nothing. What is not recognised is None.
Constants are compared to a relative error of one in 100 000, since people write sqrt(2/pi) with few
digits.
"""

from __future__ import annotations

import math
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.torch_dialect import TensorType

_CASTS = ("torch.prims.convert_element_type", "torch.aten.to.dtype", "torch.aten._to_copy")
_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def made_by(value: Any, *names: str) -> Any:
    """Return the operation that makes a value, if it is `torch.aten.<one of names>`."""
    operation = _maker(value)
    found = operation is not None and operation.name.removeprefix("torch.aten.") in names
    return operation if found else None


def uses(value: Any) -> int:
    """Count the uses of a value."""
    return len(list(value.uses))


def same(a: Any, b: Any) -> bool:
    """Tell whether two values are one; MLIR's own comparison refuses None."""
    return a is not None and b is not None and a == b


def plain(value: Any) -> Any:
    """Look through operations that give their operand: copies, and views that keep the shape."""
    while True:
        operation = made_by(value, "clone", "alias", "detach", "contiguous", "expand", "view")
        if operation is None or operation.operands[0].type != value.type:
            return value
        value = operation.operands[0]


def uncast(value: Any) -> Any:
    """Look through casts to a wider float type, which change no value."""
    while True:
        value = plain(value)
        operation = _maker(value)
        if operation is None or operation.name not in _CASTS:
            return value
        before, after = TensorType.of(operation.operands[0].type), TensorType.of(value.type)
        if before is None or after is None or _BITS.get(before.dtype, 99) >= _BITS.get(after.dtype, 0):
            return value
        value = operation.operands[0]


def rounded(value: Any) -> Any:
    """Look through one cast to a half type."""
    value = plain(value)
    operation = _maker(value)
    kind = TensorType.of(value.type)
    if operation is None or operation.name not in _CASTS or kind is None or _BITS.get(kind.dtype) != 16:
        return value
    return plain(operation.operands[0])


def close(value: Any, number: float) -> bool:
    """Tell whether a value is a constant, or a Python number, near `number`."""
    if not isinstance(value, (int, float)):
        value = constant_of(value)
    return isinstance(value, (int, float)) and math.isclose(value, number, rel_tol=1e-5)


def filled_with(value: Any) -> float | None:
    """Return the number in every element of a tensor that is made by filling."""
    operation = made_by(plain(value), "scalar_tensor", "full", "full_like")
    if operation is None:
        return None
    at = 0 if operation.name.endswith("scalar_tensor") else 1
    number = constant_of(operation.operands[at])
    return float(number) if isinstance(number, (int, float)) else None


def numbers(value: Any) -> list[Any]:
    """Return the constants of a list, None for each that is none."""
    made = _maker(value)
    if made is None or not made.name.endswith("ListConstruct"):
        return []
    return [constant_of(v) for v in made.operands]


def either_order(operation: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return the first two operands in both orders."""
    left, right = operation.operands[0], operation.operands[1]
    return (left, right), (right, left)


def sum_of(value: Any) -> Any:
    """Return the operation where `value` is a sum of two tensors, neither scaled."""
    total = made_by(plain(value), "add.Tensor")
    return total if total is not None and close(total.operands[2], 1) else None


def difference(value: Any) -> tuple[Any, Any] | None:
    """Return a and b where `value` is a - b."""
    found = made_by(plain(value), "sub.Tensor")
    if found is None or not close(found.operands[2], 1):
        return None
    return found.operands[0], found.operands[1]


def plus_number(value: Any) -> tuple[Any, float] | None:
    """Return x and c where `value` is x + c."""
    total = made_by(plain(value), "add.Scalar")
    if total is None or not close(total.operands[2], 1):
        return None
    number = constant_of(total.operands[1])
    return (total.operands[0], float(number)) if isinstance(number, (int, float)) else None


def factors(value: Any, stop: Any = None) -> tuple[float, list[tuple[Any, float]]]:
    """Write `value` as a number times powers of tensors: the number, and each tensor with its exponent.

    Looks through multiplications, divisions by numbers and powers, but not into `stop`.
    """
    scale, found = 1.0, []
    waiting = [(value, 1.0)]
    while waiting:
        one, power = waiting.pop()
        one = plain(one)
        made = (
            None
            if stop is not None and one == stop
            else made_by(one, "mul.Tensor", "mul.Scalar", "div.Scalar", "pow.Tensor_Scalar")
        )
        number = constant_of(made.operands[1]) if made is not None else None
        if made is not None and made.name.endswith("mul.Tensor"):
            waiting += [(made.operands[0], power), (made.operands[1], power)]
        elif made is None or not isinstance(number, (int, float)) or number <= 0:
            found.append((one, power))
        elif made.name.endswith("pow.Tensor_Scalar"):
            waiting.append((made.operands[0], power * number))
        else:
            scale *= (number if made.name.endswith("mul.Scalar") else 1 / number) ** power
            waiting.append((made.operands[0], power))
    return scale, _together(found)


def is_product(value: Any, number: float, *expected: tuple[Any, float]) -> bool:
    """Tell whether `value` is `number` times the expected powers; the first is not looked into."""
    scale, found = factors(value, stop=expected[0][0])
    return close(scale, number) and len(found) == len(expected) and all(one in found for one in expected)


def mean_of_rows(value: Any) -> Any:
    """Return x where `value` is the mean of x over its last dimension, which is kept."""
    value = plain(value)
    mean = made_by(value, "mean.dim")
    if mean is not None:
        return mean.operands[0] if _keeps_last(mean) else None
    quotient = made_by(value, "div.Scalar")
    if quotient is None:
        return None
    total = made_by(quotient.operands[0], "sum.dim_IntList")
    if total is None or not _keeps_last(total):
        return None
    kind = TensorType.of(total.operands[0].type)
    size = kind.shape[-1] if kind is not None else None
    return total.operands[0] if size and constant_of(quotient.operands[1]) == size else None


def square_of(value: Any) -> Any:
    """Return x where `value` is x * x."""
    value = plain(value)
    power = made_by(value, "pow.Tensor_Scalar")
    if power is not None:
        return power.operands[0] if close(power.operands[1], 2) else None
    product = made_by(value, "mul.Tensor")
    if product is None or product.operands[0] != product.operands[1]:
        return None
    return product.operands[0]


def is_last(dims: list[Any], x: Any) -> bool:
    """Tell whether `dims` is the last dimension of `x`, and nothing else."""
    kind = TensorType.of(x.type)
    return kind is not None and len(dims) == 1 and dims[0] in (-1, len(kind.shape) - 1)


def keeps(operation: Any, dim: int | None = None) -> bool:
    """Tell whether a reduction keeps its one dimension (`dim`, if given) and its element type."""
    x, dims = operation.operands[0], numbers(operation.operands[1])
    rank = len(getattr(TensorType.of(x.type), "shape", ()))
    if len(dims) != 1 or dims[0] is None or not rank or constant_of(operation.operands[2]) != 1:
        return False
    before, after = TensorType.of(x.type), TensorType.of(operation.results[0].type)
    same_type = before is not None and after is not None and before.dtype == after.dtype
    return same_type and (dim is None or dims[0] % rank == dim)


def _keeps_last(operation: Any) -> bool:
    return keeps(operation) and is_last(numbers(operation.operands[1]), operation.operands[0])


def _maker(value: Any) -> Any:
    operation = getattr(value.owner, "operation", None) or value.owner
    return operation if getattr(operation, "name", None) is not None else None


def _together(found: list[tuple[Any, float]]) -> list[tuple[Any, float]]:
    """Add the exponents of the same tensor."""
    result: list[tuple[Any, float]] = []
    for one, power in found:
        for index, (other, before) in enumerate(result):
            if one == other:
                result[index] = (one, before + power)
                break
        else:
            result.append((one, power))
    return result
