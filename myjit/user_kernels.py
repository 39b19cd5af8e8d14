"""Triton kernels that a program registers for ops: torch's, or its own.

A node of such an op becomes a call of the kernel inside the compiled part around it, where the kernel's
function `launch` takes the node's sizes. Where it does not, and on other targets, the op runs in torch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from myjit.errors import OptionsError
from myjit.kernels.base import ELEMENTS, KERNELS, Kernel, Numbers, Plan, element
from myjit.launches import float_of


@dataclass(frozen=True)
class Tensor:
    """What is known of a tensor before the call. Its elements lie one after the other, row by row.

    `dtype` is "f32", "f16", "bf16", "f64", "i1", or an integer's such as "si64" and "ui8".
    """

    shape: tuple[int, ...]
    dtype: str

    @property
    def size(self) -> int:
        """How many elements there are."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Launch:
    """How to launch a kernel for given tensors: the grid, and the values of its `tl.constexpr` parameters."""

    grid: tuple[int, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    warps: int = 4
    stages: int = 3


Launcher = Callable[..., Launch | None]
_launchers: dict[str, Launcher] = {}


def kernel(op: str, function: Any) -> Callable[[Launcher], Launcher]:
    """Register a Triton function (`@triton.jit`) for an op, such as "mylib.scale_rows" or "aten.cumsum".

    It decorates what says how to launch it: a function of the op's arguments, in their order, with a `Tensor`
    for each tensor; it returns a `Launch`, or None where the kernel does not serve. The Triton function takes
    pointers to the op's tensors, in their order, then one to the result, then constants. The op has one
    result, whose type the op itself says, and changes nothing in place. Registering again replaces.

    Raises:
        OptionsError: the op's name has no namespace.
    """
    if op.count(".") < 1 or not op.replace(".", "_").isidentifier():
        raise OptionsError(f"an op is named like 'mylib.scale_rows' or 'aten.sum.dim_IntList', not {op!r}")

    def register(launch: Launcher) -> Launcher:
        name = kernel_name(op)
        if name in KERNELS.registered():
            KERNELS.forget(name)
        KERNELS.register(name, Kernel(function, lambda numbers: _plan(function, launch, numbers)))
        _launchers[op] = launch
        return launch

    return register


def registered_ops() -> tuple[str, ...]:
    """Name the ops that have kernels, sorted."""
    return tuple(sorted(_launchers))


def serves(op: str, arguments: list[Any]) -> bool:
    """Tell whether the kernel of an op takes these arguments (tensors as `Tensor`)."""
    return _launchers[op](*arguments) is not None


def kernel_name(op: str) -> str:
    """Return what an op's kernel is called in launches."""
    return f"op_{op.replace('.', '_')}"


def _plan(function: Any, launch: Launcher, numbers: Numbers) -> Plan:
    arguments = _arguments(numbers)
    chosen = launch(*arguments)
    if chosen is None:
        raise ValueError("its launch function no longer takes what it took when the part was compiled")
    kinds = [element(ELEMENTS.index(a.dtype)) for a in arguments if isinstance(a, Tensor)]
    kinds.append(element(numbers["result"]))
    pointers = dict(zip(function.arg_names, kinds, strict=False))
    x, y, z = (*chosen.grid, 1, 1)[:3]
    return Plan((x, y, z), pointers, chosen.constants, chosen.warps, chosen.stages)


def _arguments(numbers: Numbers) -> list[Any]:
    """Read the arguments that `outline-kernels` wrote down."""
    arguments: list[Any] = []
    for index in range(numbers["count"]):
        kind, at = numbers[f"kind{index}"], f"a{index}"
        if kind == 0:
            shape = tuple(numbers[f"{at}size{i}"] for i in range(numbers[f"{at}rank"]))
            arguments.append(Tensor(shape, ELEMENTS[numbers[f"{at}type"]]))
        else:
            value = numbers.get(at, 0)
            signed = value - (1 << 64) if value >= 1 << 63 else value
            arguments.append((signed, float_of(value), bool(value), None)[kind - 1])
    return arguments
