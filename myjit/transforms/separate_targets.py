"""Give updates a tensor of their own where IREE would let them write into one that others read.

IREE computes tensors that are made of nothing (`torch.eye(n)`, a full one of a size that changes) once more
for each operation that updates one in place, and then merges what is equal: the updates write into one. What
reads memory is not computed again: here it reads one side of a choice that the compiler cannot know. And a
slice is a view, which may be read only after its tensor was updated: `a = s[1:]` before `s[1:] = 0` lost `a`
(IREE 3.13; remove when tests/transforms/test_separate_targets.py passes without).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.memory import is_tensor, memory_of, updated
from myjit.mlir.operations import operations
from myjit.mlir.structured import copied
from myjit.mlir.tensors import constant, zero
from myjit.passes.base import Pass, functions

#: What reads a weight that was taken out of the arguments.
_WEIGHT = "util.global.load"
#: What IREE keeps apart itself.
_FILLED = ("linalg.fill", "tensor.empty")


@dataclass(frozen=True)
class SeparateTargets(Pass):
    """Let operations update copies of what is computed without any tensor, and of what is read in slices."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        ir = bindings(module).ir
        for dialect in ("arith", "linalg", "tensor", "util"):
            module.context.dialects[dialect]  # loads it
        for function in functions(module):
            for op in list(operations(function)):
                for place in updated(op):
                    target = op.operands[place]
                    if not is_tensor(target):
                        continue
                    with ir.InsertionPoint(op), op.location:
                        if _is_made_of_nothing(target):
                            op.operands[place] = copied(target, _nothing(ir, target))
                        elif _is_sliced(target):
                            op.operands[place] = copied(target)


def _is_made_of_nothing(value: Any) -> bool:
    """Tell whether a tensor is computed, and no tensor from outside of the function goes into it."""
    if getattr(memory_of(value).owner, "name", "") in _FILLED:
        return False
    waiting, seen = [value], set()
    while waiting:
        current = waiting.pop()
        if getattr(current.owner, "name", "") in ("", _WEIGHT):  # an argument has no operation
            return False
        if current not in seen:
            seen.add(current)
            waiting += [each for each in current.owner.operands if is_tensor(each)]
    return True


def _nothing(ir: Any, value: Any) -> Any:
    """Build a zero in memory."""
    kind = ir.RankedTensorType.get([], ir.RankedTensorType(value.type).element_type)
    written = constant(ir, kind, ir.DenseElementsAttr.get_splat(kind, zero(ir, kind.element_type)))
    return ir.Operation.create("util.optimization_barrier", [kind], [written]).results[0]


def _is_sliced(target: Any) -> bool:
    """Tell whether a slice is taken of the memory that an operation updates."""
    memory = memory_of(target)
    waiting, seen = [memory], set()
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        for use in current.uses:
            if use.owner.name == "tensor.extract_slice":
                return True
            results = [result for result in use.owner.results if is_tensor(result)]
            waiting += [result for result in results if memory_of(result) == memory]
    return False
