"""Refuse programs that give a tensor, by way of an unknown size, a size that it does not have.

torch-mlir does so where its own idea of a result's shape and what it computes differ. Nothing checks the
sizes later on: the result would be read or written outside of its memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.diagnostics import refuse
from myjit.mlir.operations import operations
from myjit.passes.base import Pass


@dataclass(frozen=True)
class RefuseMiscasts(Pass):
    """Fail where casts, one after the other, turn a static size into another one."""

    IS_CHECK: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Check a module.

        Raises:
            PassError: naming each such cast, with its place.
        """
        refuse(
            (op, f"a tensor of {before} is cast to {after}")
            for op in operations(module.operation)
            if op.name == "tensor.cast"
            for before, after in [(_origin(op).type, op.results[0].type)]
            if not _compatible(before, after)
        )


def _origin(cast: Any) -> Any:
    """Return what a cast, and those before it, were made from."""
    value = cast.operands[0]
    while getattr(value.owner, "name", "") == "tensor.cast":
        value = value.owner.operands[0]
    return value


def _compatible(before: Any, after: Any) -> bool:
    ir = bindings(before).ir
    kinds = [ir.RankedTensorType(kind) for kind in (before, after) if isinstance(kind, ir.RankedTensorType)]
    if len(kinds) < 2:
        return True
    return all(
        size == other or any(kind.is_dynamic_dim(dim) for kind in kinds)
        for dim, (size, other) in enumerate(zip(kinds[0].shape, kinds[1].shape, strict=True))
    )
