"""Kernels before IREE has formed them: what they take, and regions of operations that are to be one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from myjit.mlir.constants import repeated_number
from myjit.mlir.context import bindings
from myjit.mlir.memory import is_tensor

#: How many tensors IREE's runtime hands to a kernel at most, read and written ones.
MOST_BINDINGS = 32

#: How many numbers of 32 bits, sizes of tensors among them. A Vulkan driver may take half of that.
MOST_CONSTANTS = 64

#: Operations that do nothing but give a result. Others keep their order.
PURE = ("linalg.", "tensor.", "arith.", "math.", "complex.", "hal.tensor.import", "iree_tensor_ext.")

#: Operations that compute in kernels, fused with others.
COMPUTED = ("linalg.", "iree_linalg_ext.")

#: Operations that each kernel does for itself.
MADE = ("linalg.fill", "tensor.empty")


def is_bound(value: Any) -> bool:
    """Tell whether kernels that read a value find it in memory: no number, and no tensor of one number."""
    name = getattr(value.owner, "name", "")  # empty for a block, whose argument it is
    return is_tensor(value) and name not in MADE and repeated_number(value) is None


def dispatch_region(members: Sequence[Any], results: Sequence[tuple[Any, Sequence[Any]]], before: Any) -> Any:
    """Move operations into a dispatch region before another one, and return it: IREE makes it a kernel.

    `results` are the values that others read, each with the uses there.
    """
    ir = bindings(before).ir
    values = [value for value, _ in results]
    nothing = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0])}
    with members[-1].location, ir.InsertionPoint(before):
        region = ir.Operation.create("flow.dispatch.region", [v.type for v in values], [], nothing, regions=2)
    for (_, uses), result in zip(results, region.results, strict=True):
        for use in uses:
            use.owner.operands[use.operand_number] = result
    body = region.regions[0].blocks.append()
    for member in members:
        member.detach_from_parent()
        body.append(member)
    with members[-1].location, ir.InsertionPoint(body):
        ir.Operation.create("flow.return", [], values)
    return region
