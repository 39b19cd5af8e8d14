"""Round products before something is added to them, as torch does: a * a - b * b is 0 where a is b.

IREE lets LLVM make one operation of a product and a sum, which rounds once. A difference of equal products
was what the rounding of one of them had lost then, and its root no number. Sums of many products, which are
rounded at every step anyway, keep that operation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations, variants
from myjit.passes.base import Pass

_FLAGS = "fastmathFlags"
_CONTRACT = "contract"


@dataclass(frozen=True)
class KeepProducts(Pass):
    """Take the leave to contract from additions and subtractions that do not add up in a loop."""

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module, whose kernels are LLVM's, in place."""
        for variant in variants(module):
            for function in [op for op in operations(variant) if op.name == "llvm.func"]:
                _keep(function)


def _keep(function: Any) -> None:
    ir = bindings(function).ir
    strict = ir.Attribute.parse("#llvm.fastmath<none>", function.context)
    sums: set[Any] = set()
    for op in operations(function):
        if op.name not in ("llvm.fadd", "llvm.fsub") or str(op.attributes[_FLAGS]) != _fast(_CONTRACT):
            continue
        if op.name == "llvm.fadd" and any(_is_carried(ir, each) or each in sums for each in op.operands):
            sums.add(op.results[0])
        else:
            op.attributes[_FLAGS] = strict


def _fast(flag: str) -> str:
    return f"#llvm.fastmath<{flag}>"


def _is_carried(ir: Any, value: Any) -> bool:
    """Tell whether a value comes from a loop's last round."""
    return isinstance(value.owner, ir.Block) and value.owner != value.owner.region.blocks[0]
