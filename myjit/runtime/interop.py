"""Tensors across the border between torch and IREE, without copies wherever memory allows it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import torch

from myjit.artifact import Signature
from myjit.errors import LoadError

#: IREE imports host memory only at this alignment, in bytes.
ALIGNMENT = 64

to_dlpack: Callable[[torch.Tensor], Any] = torch._C._to_dlpack
from_dlpack: Callable[[Any], torch.Tensor] = torch._C._from_dlpack

_ALLOWED = (
    ast.Expression,
    ast.Tuple,
    ast.BinOp,
    ast.UnaryOp,
    ast.USub,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
    ast.Mod,
    ast.Pow,
    ast.Constant,
    ast.Name,
    ast.Load,
    ast.Call,
)


def torch_dtype(name: str) -> torch.dtype:
    """Return the torch dtype called `name`, such as `float32`."""
    return getattr(torch, name)


def aligned(tensor: torch.Tensor) -> torch.Tensor:
    """Return a contiguous copy of `tensor` in memory that IREE can import."""
    return torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device).copy_(tensor)


def inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    """Return the permutation that undoes `order`."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def shape_function(signature: Signature) -> Callable[..., tuple[tuple[int, ...], ...]]:
    """Compile the bound outputs' sizes, in memory order, into one function of the symbols' values.

    Raises:
        LoadError: a size is not arithmetic over the signature's symbols.
    """
    names = [name for name, _, _ in signature.symbols]
    shapes = []
    for index in signature.bound:
        spec = signature.outputs[index]
        sizes = "".join(f"{spec.shape[i]}," for i in spec.order)
        shapes.append(f"({sizes})")
    source = f"({''.join(s + ',' for s in shapes)})"
    tree = ast.parse(source, mode="eval")
    for node in ast.walk(tree):
        known = not isinstance(node, ast.Name) or node.id in {*names, "max", "min"}
        if not isinstance(node, _ALLOWED) or not known:
            raise LoadError(f"the output sizes {source} are not arithmetic over {names}")
    function = f"lambda {', '.join(names)}: {source}"
    return eval(function, {"__builtins__": {}, "max": max, "min": min})  # noqa: S307
