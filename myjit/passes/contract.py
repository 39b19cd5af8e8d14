"""What must hold at the end of a stage: which dialects and operations are legal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from myjit.errors import ContractError, Diagnostic
from myjit.mlir.diagnostics import from_location
from myjit.mlir.operations import known_name, operations


@dataclass(frozen=True)
class Contract:
    """The dialects that may remain after a stage, and operations refused although their dialect is legal."""

    dialects: tuple[str, ...]
    illegal_ops: tuple[str, ...] = ()

    def allows(self, op_name: str) -> bool:
        """Tell whether an operation called `op_name` may remain."""
        return op_name.split(".", 1)[0] in self.dialects and op_name not in self.illegal_ops

    def check(self, module: Any, stage: str) -> None:
        """Raise for the operations that break the contract.

        Raises:
            ContractError: naming the stage and each offending operation with its source line.
        """
        broken = tuple(self._broken(module))
        if broken:
            raise ContractError(
                f"stage {stage!r} left operations that may not remain: {broken[0].message}",
                stage=stage,
                diagnostics=broken,
            )

    def _broken(self, module: Any) -> Iterator[Diagnostic]:
        for op in operations(module.operation):
            if not self.allows(op.name):
                yield from_location("error", f"{known_name(op)} is not lowered", str(op.location))
