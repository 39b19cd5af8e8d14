"""Forget what IREE assumes of sizes that it takes to reach beyond the largest signed index.

Of a size that is a sum of others (`torch.cat`, `F.pad(x, (-1, 2))`) it assumes the sum of their largest
values, which reads as a negative number: its GPU code generator found that rows of such a size have no
elements, and their sums came out as 0 (IREE 3.13). Remove when
tests/transforms/test_forget_wrapped_ranges.py passes without this.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_LARGEST = 2**63 - 1
_RANGE = re.compile(r"umin = \d+, umax = (\d+)(, )?")


@dataclass(frozen=True)
class ForgetWrappedRanges(Pass):
    """Take ranges beyond the largest signed index off `util.assume.int`."""

    def run(self, module: Any) -> None:
        """Rewrite what a module's kernels assume, in place."""
        for op in operations(module.operation):
            if op.name == "util.assume.int":
                known = str(op.attributes["assumptions"])
                kept = _RANGE.sub(lambda found: "" if int(found[1]) > _LARGEST else found[0], known)
                if kept != known:
                    op.attributes["assumptions"] = bindings(op).ir.Attribute.parse(kept, op.context)
