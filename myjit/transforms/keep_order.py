"""Have commands run in the order in which IREE has put them.

IREE writes into a tensor in place after its last reader, and then lets run at the same time what it takes for
independent: a kernel that writes a part of a tensor came before one that reads the whole. After
`v = x.clone(); v[1:] = x[:-1]; w = v[None] + v[:, None]; v[-2:] = y` there were elements of `y` in `w`
(IREE 3.13, on every target, without a word). Remove when tests/transforms/test_keep_order.py passes without
this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import IN_ORDER, bindings
from myjit.passes.base import Pass

_PARTITIONING = "stream.partitioning"


@dataclass(frozen=True)
class KeepOrder(Pass):
    """Let no commands of a program run at the same time.

    With `done` the request is taken back: it is for the time between dispatches and commands, and IREE's own
    tools cannot read what IREE prints of it.
    """

    done: bool = False

    def run(self, module: Any) -> None:
        """Mark a module, in place."""
        attributes = module.operation.attributes
        if not self.done:
            attributes[_PARTITIONING] = bindings(module.operation).ir.Attribute.parse(IN_ORDER)
        elif _PARTITIONING in attributes:
            del attributes[_PARTITIONING]
