"""Ops that a program has kernels for, as calls: the arguments as numbers, the tensors as pointers."""

from __future__ import annotations

from typing import Any

from myjit.launches import bits_of
from myjit.mlir.constants import constant_of
from myjit.mlir.layouts import sizes_of
from myjit.mlir.outlining import KernelCall
from myjit.mlir.torch_dialect import TensorType
from myjit.transforms._row_calls import ELEMENTS


def op_call(op: Any, kernel: str) -> KernelCall | None:
    """Call the kernel of an op whose tensors have known sizes and whose other arguments are constants."""
    if len(op.results) != 1:
        return None
    numbers: dict[str, int] = {"count": len(op.operands)}
    tensors = []
    for index, value in enumerate(op.operands):
        written = _tensor(value, f"a{index}") or _constant(value, f"a{index}")
        if written is None:
            return None
        numbers |= {f"kind{index}": written[0], **written[1]}
        if written[0] == 0:
            tensors.append(value)
    result = _tensor(op.results[0], "r")
    if result is None or not tensors:
        return None
    return KernelCall(kernel, {**numbers, "result": result[1]["rtype"]}, tuple(tensors), op.results[0])


def _tensor(value: Any, name: str) -> tuple[int, dict[str, int]] | None:
    kind, shape = TensorType.of(value.type), sizes_of(value)
    if kind is None or shape is None or kind.dtype not in ELEMENTS or 0 in shape:
        return None
    sizes = {f"{name}size{i}": size for i, size in enumerate(shape)}
    return 0, {f"{name}type": ELEMENTS[kind.dtype], f"{name}rank": len(shape), **sizes}


def _constant(value: Any, name: str) -> tuple[int, dict[str, int]] | None:
    """Write a constant: 1 an integer, 2 a float, 3 a truth value, 4 nothing."""
    if str(value.type) == "!torch.none":
        return 4, {}
    number = constant_of(value)
    if isinstance(number, bool) or str(value.type) == "!torch.bool":
        return (3, {name: int(number)}) if number is not None else None
    if isinstance(number, int):
        return 1, {name: number % (1 << 64)}
    return (2, {name: bits_of(number)}) if isinstance(number, float) else None
