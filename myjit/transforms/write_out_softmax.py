"""Write softmax over rows out as the loops that it is, for passes that look at loops.

IREE makes one operation of a softmax that it finds, and computes its exponentials twice: to add them up, and
to divide them. Here each is multiplied by one over the sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations
from myjit.mlir.structured import empty, fill, generic
from myjit.mlir.tensors import constant
from myjit.passes.base import FunctionPass


@dataclass(frozen=True)
class WriteOutSoftmax(FunctionPass):
    """Replace `linalg.softmax` of known sizes over the last dimension by reductions and elementwise loops.

    That of half types stays: they hold too few digits of one over the sum.
    """

    IS_TUNING: ClassVar[bool] = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function in place."""
        ir = bindings(function).ir
        for op in [op for op in operations(function) if op.name == "linalg.softmax"]:
            kind = ir.RankedTensorType(op.results[0].type)
            is_last = op.attributes["dimension"].value == kind.rank - 1
            if is_last and kind.has_static_shape and str(kind.element_type) in ("f32", "f64"):
                with ir.InsertionPoint(op), op.location:
                    op.results[0].replace_all_uses_with(_softmax(ir, op.operands[0]))
                op.erase()


def _softmax(ir: Any, x: Any) -> Any:
    shape = ir.RankedTensorType(x.type)
    rank, sizes, kind = shape.rank, shape.shape, shape.element_type
    whole = ir.AffineMap.get_identity(rank)
    row = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(n) for n in range(rank - 1)])
    rows = ir.AffineMap.get_identity(rank - 1)

    def number(value: float) -> Any:
        return constant(ir, kind, ir.FloatAttr.get(kind, value))

    def binary(name: str) -> Any:
        return lambda ir, a, b, *_: ir.Operation.create(f"arith.{name}", [kind], [a, b]).results[0]

    def exponential(ir: Any, a: Any, b: Any, _: Any) -> Any:
        return ir.Operation.create("math.exp", [kind], [binary("subf")(ir, a, b)]).results[0]

    def inverse(ir: Any, a: Any, _: Any) -> Any:
        return ir.Operation.create("arith.divf", [kind], [one, a]).results[0]

    one = number(1.0)
    result, reduced = empty(x, sizes), empty(x, sizes[:-1])
    most = generic([x], fill(number(-math.inf), reduced), [whole, row], 1, binary("maximumf"))
    grown = generic([x, most], result, [whole, row, whole], 0, exponential)
    total = generic([grown], fill(number(0.0), reduced), [whole, row], 1, binary("addf"))
    share = generic([total], reduced, [rows, rows], 0, inverse)
    return generic([grown, share], result, [whole, row, whole], 0, binary("mulf"))
