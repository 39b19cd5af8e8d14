"""Have the CPU's kernels compute with denormal numbers, as torch does.

IREE's runtime sets the processor to take them for zero while kernels run, so that `(x + 1e-45).log()` was
-inf where torch says -103.28.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.denormals import keep_denormals
from myjit.mlir.operations import variants
from myjit.passes.base import Pass


@dataclass(frozen=True)
class KeepDenormals(Pass):
    """Set the mode in front of each kernel that does not do so itself, and restore it behind."""

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module, whose kernels are LLVM's, in place."""
        for variant in variants(module):
            keep_denormals(variant)
