"""Share the workgroups of the CPU's kernels among the threads with which torch computes.

IREE's own workers sleep between calls and are woken for each, beside OpenMP's threads, which torch computes
with: these spin for some milliseconds after their last work, and are two microseconds away. It does nothing
unless the module says that there is an OpenMP where the program will run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.libraries import may_use
from myjit.mlir.operations import variants
from myjit.mlir.teams import share_workgroups
from myjit.passes.base import Pass


@dataclass(frozen=True)
class ShareWorkgroups(Pass):
    """Share dispatches whose buffers have at least `bytes` together."""

    bytes: int = 2**16

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module, whose kernels are LLVM's, in place."""
        if may_use(module, "openmp"):
            for variant in variants(module):
                share_workgroups(variant, self.bytes)
