"""Keep scans (cumulative sums) apart from what computes their input: IREE refuses the two in one kernel.

With dynamic sizes it says "write affecting operations on global resources are restricted to workgroup
distributed contexts" (IREE 3.13; remove when the test passes without this).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.tensors import behind_barrier
from myjit.passes.base import FunctionPass


@dataclass(frozen=True)
class SeparateScans(FunctionPass):
    """Put a barrier before the first operand of each scan of dynamic size."""

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of an IREE-side module in place."""
        ir = bindings(function).ir
        for dialect in ("arith", "flow", "tensor", "util"):
            function.context.dialects[dialect]  # loads it
        scans = [
            op.operation for op in function.regions[0].blocks[0] if op.operation.name == "tm_tensor.scan"
        ]
        for scan in scans:
            source = scan.operands[0]
            if "?" not in str(source.type):
                continue
            with ir.InsertionPoint(scan), scan.location:
                scan.operands[0] = behind_barrier(source)
