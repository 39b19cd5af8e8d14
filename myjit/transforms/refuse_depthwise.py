"""Refuse convolutions of single channels: IREE's SPIR-V code for some is wrong without a word.

With four channels (two, at other sizes) half of the zeros that it adds to were written after the sums: the
two loops of one kernel run in other orders. Apart from each other they are right with four channels and
wrong with three (IREE 3.13). Remove when tests/transforms/test_refuse_depthwise.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.diagnostics import refuse
from myjit.mlir.operations import operations
from myjit.passes.base import Pass


@dataclass(frozen=True)
class RefuseDepthwise(Pass):
    """Fail where a convolution takes each channel by itself."""

    IS_CHECK: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Check a module.

        Raises:
            PassError: naming each such convolution, with its place.
        """
        refuse(
            (op, "convolutions of single channels come out wrong here")
            for op in operations(module.operation)
            if op.name.startswith("linalg.depthwise_conv")
        )
