"""Call kernels, or the device maker's library, in place of the functions that `outline-kernels` made.

Where the program will not be read as launches, or Triton or the device does not serve, the functions'
bodies are inlined instead: the same values, by IREE's code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from myjit.launches import is_call, parse_call
from myjit.mlir.diagnostics import refuse
from myjit.mlir.external_call import TARGET_ATTRIBUTE, call_externally
from myjit.mlir.operations import operations
from myjit.passes.base import NativePass, Pass

#: The first architecture that Triton's kernels here are for.
_FIRST = 80
#: Calls of a library: they need no Triton, and run on every device.
_LIBRARY = ("convolution",)


@dataclass(frozen=True)
class CallKernels(Pass):
    """Replace calls of outlined functions by calls of kernels, or inline the functions."""

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module in place.

        Raises:
            PassError: a function has no body, and cannot be replaced.
        """
        outlined = [op.operation for op in module.body.operations if _is_outlined(op.operation)]
        if not outlined:
            return
        attributes = module.operation.attributes
        target = str(attributes[TARGET_ATTRIBUTE]) if TARGET_ATTRIBUTE in attributes else ""
        calls = [op for op in operations(module.operation) if op.name == "func.call" and is_call(_callee(op))]
        served = {_name(f) for f in outlined if _serves(_name(f), target)}
        _require_bodies([f for f in outlined if _name(f) not in served], calls)
        for call in (c for c in calls if _callee(c) in served):
            called = call_externally(call.results[0], _callee(call), list(call.operands), target)
            call.results[0].replace_all_uses_with(called)
            call.erase()
        for function in outlined:
            if _name(function) in served:
                function.erase()
            else:
                del function.attributes["no_inline"]
        NativePass("inline").run(module)


def _callee(call: Any) -> str:
    return str(call.attributes["callee"]).removeprefix("@")


def _require_bodies(outlined: list[Any], calls: list[Any]) -> None:
    bare = {_name(f) for f in outlined if not len(f.regions[0].blocks)}
    refuse(
        (call, "its kernel runs on NVIDIA GPUs, with Triton, only") for call in calls if _callee(call) in bare
    )


def _name(function: Any) -> str:
    return function.attributes["sym_name"].value


def _is_outlined(op: Any) -> bool:
    return op.name == "func.func" and is_call(_name(op))


def _serves(name: str, target: str) -> bool:
    """Tell whether a call can be made: of a library, or where Triton is there and compiles for the device."""
    call = parse_call(name)
    if target and call is not None and call[0] in _LIBRARY:
        return True
    arch = re.search(r'arch = "sm_(\d+)"', target)
    return arch is not None and int(arch[1]) >= _FIRST and find_spec("triton") is not None
