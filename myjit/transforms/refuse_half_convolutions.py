"""Refuse convolutions of half types that no library takes: IREE's CUDA code for some is wrong without a word.

With kernels of one pixel half of the result is never written (IREE 3.13 on an H200). Others are right, but
which ones nobody knows. Remove when tests/e2e/test_targets.py's half convolutions pass without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.diagnostics import refuse
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_KINDS = ("linalg.conv_", "linalg.depthwise_conv_")


@dataclass(frozen=True)
class RefuseHalfConvolutions(Pass):
    """Fail where a convolution of float16 or bfloat16 would be compiled."""

    IS_CHECK: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Check a module.

        Raises:
            PassError: naming each such convolution, with its place.
        """
        refuse(
            (op, "convolutions of half types come out wrong here")
            for op in operations(module.operation)
            if op.name.startswith(_KINDS) and _element(op.operands[0]) in ("f16", "bf16")
        )


def _element(value: Any) -> str:
    return str(bindings(value.owner).ir.ShapedType(value.type).element_type)
