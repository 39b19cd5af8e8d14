"""Refuse a program that would write into its inputs: whatever IREE has made of it, that is never meant.

`ProtectInputs` keeps the cases apart that are known. This looks at the commands that IREE has settled on,
so that a case that nobody has seen costs a fallback and not the caller's weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.diagnostics import refuse
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_WRITES = 2  # the bit of IREE's resource accesses
#: Commands with one target, with its place.
_TARGETS = {"stream.cmd.fill": 0, "stream.cmd.copy": 3}


@dataclass(frozen=True)
class RefuseInputWrites(Pass):
    """Fail where a command writes to memory that was imported to be read."""

    IS_CHECK: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Check the host's part of a module, once IREE has scheduled its commands.

        Raises:
            PassError: naming each such command, with its place.
        """
        refuse(
            (command, "the compiled code would write into its inputs")
            for function in module.body.operations
            if function.operation.name == "util.func"
            for execute in operations(function.operation)
            if execute.name == "stream.cmd.execute"
            for command in operations(execute)
            if any(_is_input(_outside(execute, value)) for value in _written(command))
        )


def _written(command: Any) -> Iterator[Any]:
    """Yield the resources that a command writes to."""
    if command.name in _TARGETS:
        yield command.operands[_TARGETS[command.name]]
    elif command.name == "stream.cmd.dispatch":
        before = sum(list(command.attributes["operandSegmentSizes"])[:2])
        for place, access in enumerate(command.attributes["resource_accesses"], before):
            if access.value & _WRITES:
                yield command.operands[place]


def _outside(execute: Any, value: Any) -> Any:
    """Return what a resource inside of an execution is outside of it."""
    return execute.operands[value.arg_number] if hasattr(value, "arg_number") else value


def _is_input(resource: Any) -> bool:
    """Tell whether a resource is memory that was given to be read: an output's is given up to the callee."""
    owner = resource.owner
    while getattr(owner, "name", "") in ("stream.timepoint.await", "stream.resource.subview"):
        owner = owner.operands[0].owner
    return getattr(owner, "name", "") == "stream.tensor.import" and "consume" not in owner.attributes
