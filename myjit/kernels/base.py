"""What a kernel is: a Triton function, and how to launch it for given sizes on a given device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from myjit.registry import Registry

#: What a call carries: sizes, strides, flags; floats as the numbers of their bits.
Numbers = Mapping[str, int]


@dataclass(frozen=True)
class Plan:
    """One way to launch a kernel.

    `pointers` gives, for each parameter that is a tensor, its element type as Triton writes it ("fp16"), in
    the order of the call's operands with the result last; None for one that this call lacks. `constants`
    gives every other parameter.
    """

    grid: tuple[int, int, int]
    pointers: Mapping[str, str | None]
    constants: Mapping[str, Any]
    warps: int = 4
    stages: int = 3
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Kernel:
    """A Triton function (`triton.jit`), and what says how to launch it: `plan(numbers)`.

    `others` gives plans that some devices and sizes may run faster; `mode="max-autotune"` times them. For
    that, `elements` gives how many elements there are of each tensor that the plan has a type for.
    """

    function: Any
    plan: Callable[[Numbers], Plan]
    others: Callable[[Numbers], Sequence[Plan]] | None = None
    elements: Callable[[Numbers], tuple[int, ...]] | None = None

    def plans(self, numbers: Numbers) -> list[Plan]:
        """Return the usual plan, and the others."""
        return [self.plan(numbers), *(self.others(numbers) if self.others is not None else ())]


#: Element types by their numbers in calls.
ELEMENTS = ("f32", "f16", "bf16", "i1", "si64", "si32", "si16", "si8", "ui8", "f64")
_IN_TRITON = dict(
    zip(ELEMENTS, ("fp32", "fp16", "bf16", "i8", "i64", "i32", "i16", "i8", "u8", "fp64"), strict=True)
)


def element(number: int) -> str:
    """Return, as Triton writes it, the element type that a call's number stands for."""
    return _IN_TRITON[ELEMENTS[number]]


def padded(size: int, least: int = 1) -> int:
    """Return the power of two that is `size` or the next larger one, and at least `least`."""
    return max(least, 1 << max(0, size - 1).bit_length())


KERNELS: Registry[Kernel] = Registry("kernel", "myjit.kernels", "KERNEL", "myjit.kernels")
