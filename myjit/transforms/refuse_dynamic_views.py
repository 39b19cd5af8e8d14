"""Refuse views of several dynamic dimensions, which torch-mlir would lower to wrong values.

The graph pass `dynamic-views` leaves none; this catches those that torch-mlir's own decompositions make
(llvm/torch-mlir#4743; remove both when that is closed).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.errors import PassError
from myjit.mlir.diagnostics import from_location
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_VIEWS = ("torch.aten.view", "torch.aten._unsafe_view", "torch.aten.reshape")


@dataclass(frozen=True)
class RefuseDynamicViews(Pass):
    """Fail where a view has more than one dynamic dimension on either side."""

    IS_CHECK: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Check a module of the torch dialect.

        Raises:
            PassError: naming each such view.
        """
        found = tuple(
            from_location("error", "a view of several dynamic dimensions", str(op.location))
            for op in operations(module.operation)
            if op.name in _VIEWS and max(_dynamic(op.operands[0]), _dynamic(op.results[0])) > 1
        )
        if found:
            raise PassError("views that would be lowered to wrong values", diagnostics=found)


def _dynamic(value: Any) -> int:
    return str(value.type).count("?")
