"""What a Python-defined dialect is written with.

A dialect file must not say `from __future__ import annotations`: the annotations of an operation are
read when the dialect is loaded.
"""

from torch_mlir import ir
from torch_mlir.dialects.ext import Dialect, Operand, Operation, Pure, Region, Result

__all__ = ["Dialect", "Operand", "Operation", "Pure", "Region", "Result", "ir", "refuse"]


def refuse(op: Operation, reason: str) -> bool:
    """Emit an error at an operation, for a verifier to return: `return refuse(self, "…")`."""
    operation = op.operation
    operation.location.emit_error(f"'{operation.name}' op {reason}")
    return False
