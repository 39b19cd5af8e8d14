"""Go through the operations of a module, and name them as people know them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def operations(op: Any) -> Iterator[Any]:
    """Yield every operation inside of `op`, outer before inner."""
    for region in op.regions:
        for block in region:
            for child in block:
                yield child.operation
                yield from operations(child.operation)


def user_within(block: Any, use: Any) -> Any:
    """Return the operation of a block that uses a value, or that holds what does."""
    user = use.owner.operation
    while user.parent != block.owner.operation:
        user = user.parent
    return user


def variants(module: Any) -> list[Any]:
    """Return the executables of a module, as compiled for each kind of device."""
    return [op for op in operations(module.operation) if op.name == "hal.executable.variant"]


def known_name(op: Any) -> str:
    """Return what the operation does: `torch.operator` stands for what the torch dialect does not know."""
    return str(op.attributes["name"]).strip('"') if op.name == "torch.operator" else op.name


def symbol_name(op: Any) -> str:
    """Return the name by which others refer to the operation."""
    return op.attributes["sym_name"].value
