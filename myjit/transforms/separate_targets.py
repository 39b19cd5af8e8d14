"""Give every update of a tensor that is made of nothing a tensor of its own.

IREE computes such tensors (`torch.eye(n)`, a full one of a size that changes) once more for each operation
that updates one in place, and then merges what is equal: the updates write into one tensor (IREE 3.13; remove
when tests/transforms/test_separate_targets.py passes without). What reads memory is not computed again: here
it reads one side of a choice that the compiler cannot know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.memory import is_tensor, memory_of, updated
from myjit.mlir.operations import operations
from myjit.mlir.structured import empty, generic
from myjit.mlir.tensors import constant, size, zero
from myjit.passes.base import Pass, functions

#: What IREE keeps apart itself.
_FILLED = ("linalg.fill", "tensor.empty")


@dataclass(frozen=True)
class SeparateTargets(Pass):
    """Let operations update copies of what is computed without any tensor."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        ir = bindings(module).ir
        for dialect in ("arith", "linalg", "tensor", "util"):
            module.context.dialects[dialect]  # loads it
        for function in functions(module):
            for op in list(operations(function)):
                for place in updated(op):
                    target = op.operands[place]
                    if is_tensor(target) and _is_made_of_nothing(target):
                        with ir.InsertionPoint(op), op.location:
                            op.operands[place] = _copy(ir, target)


def _is_made_of_nothing(value: Any) -> bool:
    """Tell whether a tensor is computed, and no tensor from outside of the function goes into it."""
    if getattr(memory_of(value).owner, "name", "") in _FILLED:
        return False
    waiting, seen = [value], set()
    while waiting:
        current = waiting.pop()
        if not hasattr(current.owner, "operands"):  # an argument
            return False
        if current not in seen:
            seen.add(current)
            waiting += [each for each in current.owner.operands if is_tensor(each)]
    return True


def _copy(ir: Any, value: Any) -> Any:
    """Build an elementwise `value if always else other`."""
    kind = ir.RankedTensorType(value.type)
    boolean, scalar = ir.IntegerType.get_signless(1), ir.RankedTensorType.get([], kind.element_type)
    yes = constant(ir, boolean, ir.IntegerAttr.get(boolean, 1))
    nothing = constant(ir, scalar, ir.DenseElementsAttr.get_splat(scalar, zero(ir, kind.element_type)))
    always, other = (
        ir.Operation.create("util.optimization_barrier", [each.type], [each]).results[0]
        for each in (yes, nothing)
    )

    def body(ir: Any, one: Any, another: Any, _: Any) -> Any:
        return ir.Operation.create("arith.select", [one.type], [always, one, another]).results[0]

    whole, none = ir.AffineMap.get_identity(kind.rank), ir.AffineMap.get(kind.rank, 0, [])
    init = empty(value, [size(value, dim) for dim in range(kind.rank)])
    return generic([value, other], init, [whole, none, whole], 0, body)
