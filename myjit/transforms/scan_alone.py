"""Let one thread compute a scan (`cumsum`), where all of a workgroup did, each the whole.

IREE's GPU code generator does not share the loops of a scan among threads. It does share the zeros that it
starts from, and waits for nobody in between: the threads of another warp read zeros that were written late,
and theirs was the last word now and then. `x.diff(dim=1).flip(0).cumsum(0)` of 7 × 4 lost an element
(IREE 3.13 on CUDA, without a word). Remove when its kernels wait, or share the loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.dispatches import is_compiled_by
from myjit.mlir.gpu_dispatches import set_threads
from myjit.mlir.operations import operations
from myjit.passes.base import Pass


@dataclass(frozen=True)
class ScanAlone(Pass):
    """Give workgroups of kernels that hold a scan one thread."""

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches in place."""
        for function in operations(module.operation):
            if is_compiled_by(function, "Distribute") and any(
                op.name == "iree_linalg_ext.scan" for op in operations(function)
            ):
                set_threads(function, 1)
