"""Round products before something is added to them, as torch does: a * a - b * b is 0 where a is b.

IREE lets LLVM make one operation of a product and a sum, which rounds once, and so may Vulkan's drivers
(NVIDIA's does). A difference of equal products
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
_ADDITIONS, _SUBTRACTIONS = ("llvm.fadd", "spirv.FAdd"), ("llvm.fsub", "spirv.FSub")


@dataclass(frozen=True)
class KeepProducts(Pass):
    """Take the leave to contract from additions and subtractions that do not add up in a loop."""

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module, whose kernels are LLVM's or SPIR-V's, in place."""
        for variant in variants(module):
            for function in [op for op in operations(variant) if op.name in ("llvm.func", "spirv.func")]:
                for op in _outside_of_sums(function):
                    _forbid(op)


def _outside_of_sums(function: Any) -> list[Any]:
    """Return additions and subtractions that are no step of a sum which a loop carries along."""
    ir = bindings(function).ir
    sums: set[Any] = set()
    found = []
    for op in operations(function):
        if op.name in _ADDITIONS and any(_is_carried(ir, each) or each in sums for each in op.operands):
            sums.add(op.results[0])
        elif op.name in (*_ADDITIONS, *_SUBTRACTIONS):
            found.append(op)
    return found


def _forbid(op: Any) -> None:
    ir = bindings(op).ir
    if op.name.startswith("spirv."):
        op.attributes["no_contraction"] = ir.UnitAttr.get(op.context)
    elif str(op.attributes[_FLAGS]) == "#llvm.fastmath<contract>":
        op.attributes[_FLAGS] = ir.Attribute.parse("#llvm.fastmath<none>", op.context)


def _is_carried(ir: Any, value: Any) -> bool:
    """Tell whether a value comes from a loop's last round."""
    return isinstance(value.owner, ir.Block) and value.owner != value.owner.region.blocks[0]
