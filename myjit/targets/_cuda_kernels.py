"""Compile the kernels of `myjit/kernels/` with Triton for one device, and load them there."""

# pyright: reportMissingImports=false
from __future__ import annotations

import re
import threading
import weakref
from dataclasses import dataclass
from typing import Any

from myjit.errors import LoadError, RegistryError
from myjit.kernels.base import KERNELS, Plan
from myjit.targets._cuda_driver import Kernel, Module

Numbers = tuple[tuple[str, int], ...]

_lock = threading.Lock()
_loaded: weakref.WeakValueDictionary[tuple[str, Numbers, int, int], LoadedKernel] = (
    weakref.WeakValueDictionary()
)


@dataclass(frozen=True)
class LoadedKernel:
    """A kernel on a device: how to launch it, the pointers it takes, and how many parameters Triton added."""

    kernel: Kernel
    grid: tuple[int, int, int]
    pointers: int
    added: int
    module: Module


def loaded_kernel(name: str, numbers: Numbers, index: int, number: int = 0) -> LoadedKernel:
    """Return the kernel for these numbers on device `index`, compiled once; its context has to be current.

    `number` is the plan's: 0 is the usual one.

    Raises:
        LoadError: there is no such kernel, no Triton, or it refuses the kernel for this device.
    """
    with _lock:
        found = _loaded.get((name, numbers, index, number))
        if found is None:
            found = _loaded[name, numbers, index, number] = _load(name, numbers, index, number)
        return found


def _load(name: str, numbers: Numbers, index: int, number: int) -> LoadedKernel:
    import torch

    try:
        kernel = KERNELS.get(name)
        plan = kernel.plans(dict(numbers))[number]
        compiled = compile_plan(kernel.function, plan, torch.cuda.get_device_capability(index))
    except (ImportError, RegistryError) as error:
        raise LoadError(f"the kernel {name} is not there: {error}") from error
    except Exception as error:  # Triton raises whatever it meets: typed here, once
        raise LoadError(f"Triton refuses the kernel {name}: {type(error).__name__}: {error}") from error
    symbol, shared = compiled.metadata.name, compiled.metadata.shared
    block = (32 * compiled.metadata.num_warps, 1, 1)
    module = Module.of_kernel(compiled.asm["cubin"], symbol, block, shared)
    pointers = sum(kind is not None for kind in plan.pointers.values())
    added = _parameters(compiled.asm["ptx"], symbol) - pointers
    return LoadedKernel(module.kernels[symbol], plan.grid, pointers, added, module)


def compile_plan(function: Any, plan: Plan, capability: tuple[int, int]) -> Any:
    """Compile a Triton function as a plan says; Triton keeps the result on disk."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    given = {name: f"*{kind}" for name, kind in plan.pointers.items() if kind is not None}
    constants = {name: None for name, kind in plan.pointers.items() if kind is None} | dict(plan.constants)
    names = list(function.arg_names)
    signature = {name: given.get(name, "constexpr") for name in names}
    # Inputs, results and parts of the scratch begin at multiples of 16 bytes.
    aligned = {(names.index(name),): [["tt.divisibility", 16]] for name in given}
    source = ASTSource(function, signature, {(names.index(n),): v for n, v in constants.items()}, aligned)
    target = GPUTarget("cuda", 10 * capability[0] + capability[1], 32)
    options = {"num_warps": plan.warps, "num_stages": plan.stages, **plan.options}
    return triton.compile(source, target=target, options=options)


def _parameters(ptx: str, symbol: str) -> int:
    """Count the parameters of a kernel."""
    found = re.search(rf"\.entry\s+{re.escape(symbol)}\s*\((.*?)\)", ptx, re.DOTALL)
    return found.group(1).count(".param") if found else 0
