"""Refuse every operation that torch-mlir has not lowered, all at once and under its own name.

Without it the last conversion stops at the first thing left over, which is as often as not a constant
that the guilty operation takes: the constant's name stands in the message, and its location may be
that of an innocent operation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.diagnostics import refuse
from myjit.mlir.operations import known_name, operations
from myjit.passes.base import Pass

#: Values that are left over because an operation is that takes them.
_MATERIAL = ("torch.constant.", "torch.prim.ListConstruct", "torch.vtensor.literal")


@dataclass(frozen=True)
class RefuseUnlowered(Pass):
    """Fail where operations of the torch dialect are left after its conversions."""

    IS_CHECK: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Check a module.

        Raises:
            PassError: naming each operation that is left, with its place.
        """
        refuse(
            (op, f"no lowering for {known_name(op)}")
            for op in operations(module.operation)
            if op.name.startswith("torch.") and not op.name.startswith(_MATERIAL)
        )
