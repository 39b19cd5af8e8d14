"""Refuse kernels of more tensors or numbers than IREE's runtime can hand to one: it would not load them.

`LimitBindings` and `GroupNumbers` keep kernels small where they are formed. This looks at the commands that
IREE has settled on, while the operations can still be left to torch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.diagnostics import refuse
from myjit.mlir.operations import operations
from myjit.mlir.regions import MOST_BINDINGS, MOST_CONSTANTS
from myjit.passes.base import Pass


@dataclass(frozen=True)
class RefuseManyBindings(Pass):
    """Fail where a kernel takes more than `most` tensors, or `numbers` such as their sizes."""

    IS_CHECK: ClassVar[bool] = True

    most: int = MOST_BINDINGS
    numbers: int = MOST_CONSTANTS

    def run(self, module: Any) -> None:
        """Check the host's part of a module, once IREE has scheduled its commands.

        Raises:
            PassError: naming each such kernel's call, with its place.
        """
        refuse(
            (command, f"a kernel would take {count} {kind}, and {most} is the most")
            for command in operations(module.operation)
            if command.name == "stream.cmd.dispatch"
            for kind, count, most in self._taken(command)
            if count > most
        )

    def _taken(self, dispatch: Any) -> Iterator[tuple[str, int, int]]:
        """Yield what a kernel takes of each kind, and how much of that it may."""
        yield "tensors", len(dispatch.attributes["resource_accesses"]), self.most
        _, numbers, *_ = dispatch.attributes["operandSegmentSizes"]
        yield "numbers", numbers, self.numbers
