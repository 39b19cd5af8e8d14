"""Take slices in steps along the last dimension apart from what is computed of them: `x[..., ::2] + 1`.

IREE's code for CPUs gathers their elements into vectors one by one, twenty times as slow as to copy them
(`write-out-copies`) and compute on what then lies in rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations
from myjit.mlir.panels import registers
from myjit.mlir.tensors import compute_apart
from myjit.passes.base import Pass, functions


@dataclass(frozen=True)
class SeparateSteps(Pass):
    """Put a barrier behind such slices of known sizes, of at least `least` elements."""

    IS_TUNING: ClassVar[bool] = True

    least: int = 2**10

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        if registers(module) is None:
            return
        for function in functions(module):
            for op in [op for op in operations(function) if op.name == "tensor.extract_slice"]:
                kind = bindings(op).ir.RankedTensorType(op.results[0].type)
                if list(op.attributes["static_strides"])[-1:] in ([], [1]) or not kind.has_static_shape:
                    continue
                if math.prod(kind.shape) >= self.least:
                    compute_apart(op.results[0])
