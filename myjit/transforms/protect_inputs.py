"""Copy inputs before an operation that would update them in place: IREE leaves that copy out.

It takes the buffers of arguments for its own, so a scatter into one would change the caller's tensor
(seen with IREE 3.13; remove when a scatter into an argument leaves the argument as it was). The copy
goes through a choice that is always the same but that the compiler cannot know, or it would be dropped
as well.
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


@dataclass(frozen=True)
class ProtectInputs(Pass):
    """Let operations update copies of a function's arguments, never the arguments themselves."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        ir = bindings(module).ir
        for dialect in ("arith", "linalg", "tensor", "util"):
            module.context.dialects[dialect]  # loads it
        for function in functions(module):
            arguments = list(function.regions[0].blocks[0].arguments)
            for op in list(operations(function)):
                for place in updated(op):
                    if is_tensor(op.operands[place]) and memory_of(op.operands[place]) in arguments:
                        op.operands[place] = _copy(ir, op, op.operands[place])


def _copy(ir: Any, user: Any, value: Any) -> Any:
    """Build an elementwise `value if always else zero`."""
    kind = ir.RankedTensorType(value.type)
    element, boolean = kind.element_type, ir.IntegerType.get_signless(1)
    with ir.InsertionPoint(user), user.location:
        yes = constant(ir, boolean, ir.IntegerAttr.get(boolean, 1))
        always = ir.Operation.create("util.optimization_barrier", [boolean], [yes]).results[0]
        nothing = constant(ir, element, zero(ir, element))

        def body(ir: Any, one: Any, _: Any) -> Any:
            return ir.Operation.create("arith.select", [element], [always, one, nothing]).results[0]

        init = empty(value, [size(value, dim) for dim in range(kind.rank)])
        return generic([value], init, [ir.AffineMap.get_identity(kind.rank)] * 2, 0, body)
