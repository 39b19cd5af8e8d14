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
from myjit.mlir.memory import is_tensor, memory_of
from myjit.mlir.operations import operations
from myjit.mlir.structured import empty, generic
from myjit.mlir.tensors import constant, size
from myjit.passes.base import Pass, functions

#: Dialects whose operations update their last group of operands.
_DESTINATION_STYLE = ("linalg.", "tm_tensor.", "iree_linalg_ext.")
#: Operations that update one operand, with its place.
_UPDATES = {"tensor.insert_slice": 1, "tensor.insert": 1, "tensor.parallel_insert_slice": 1}
#: Operations whose regions update what they start from.
_LOOPS = ("scf.for", "scf.while", "scf.forall")


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
                for place in _updated(op):
                    if is_tensor(op.operands[place]) and memory_of(op.operands[place]) in arguments:
                        op.operands[place] = _copy(ir, op, op.operands[place])


def _updated(op: Any) -> range | tuple[int, ...]:
    """Return the places of the operands that an operation updates."""
    count = len(op.operands)
    if op.name in _UPDATES:
        return (_UPDATES[op.name],)
    if op.name in _LOOPS:
        return range(count)
    if not op.name.startswith(_DESTINATION_STYLE) or not any(map(is_tensor, op.results)):
        return ()
    if "operandSegmentSizes" in op.attributes:
        return range(count - list(op.attributes["operandSegmentSizes"])[-1], count)
    return range(count - len(op.results), count)


def _copy(ir: Any, user: Any, value: Any) -> Any:
    """Build an elementwise `value if always else zero`."""
    kind = ir.RankedTensorType(value.type)
    element, boolean = kind.element_type, ir.IntegerType.get_signless(1)
    with ir.InsertionPoint(user), user.location:
        yes = constant(ir, boolean, ir.IntegerAttr.get(boolean, 1))
        always = ir.Operation.create("util.optimization_barrier", [boolean], [yes]).results[0]
        zero = constant(ir, element, _zero(ir, element))

        def body(ir: Any, one: Any, _: Any) -> Any:
            return ir.Operation.create("arith.select", [element], [always, one, zero]).results[0]

        init = empty(value, [size(value, dim) for dim in range(kind.rank)])
        return generic([value], init, [ir.AffineMap.get_identity(kind.rank)] * 2, 0, body)


def _zero(ir: Any, kind: Any) -> Any:
    is_integer = isinstance(kind, ir.IntegerType)
    return ir.IntegerAttr.get(kind, 0) if is_integer else ir.FloatAttr.get(kind, 0.0)
