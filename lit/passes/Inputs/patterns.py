"""Pattern passes: one that ends, one that does not, one that changes in place."""

from dataclasses import dataclass

import myjit


@myjit.register_pass
@dataclass(frozen=True)
class SquareToPower(myjit.PatternPass):
    """Turn x * x into powf(x, 2)."""

    exponent: float = 2.0

    @myjit.pattern("arith.mulf")
    def square(self, op, rewriter):
        from torch_mlir.dialects import arith, math

        if op.operands[0] != op.operands[1]:
            return None
        return math.powf(op.operands[0], arith.constant(op.results[0].type, self.exponent))


@myjit.register_pass
class Swap(myjit.PatternPass):
    """Swap the operands of an addition, for ever."""

    @myjit.pattern("arith.addf")
    def swap(self, op, rewriter):
        from torch_mlir.dialects import arith

        return arith.addf(op.operands[1], op.operands[0])


@myjit.register_pass
class MarkOnce(myjit.PatternPass):
    """Mark additions in place."""

    @myjit.pattern("arith.addf")
    def mark(self, op, rewriter):
        from torch_mlir import ir

        if "seen" in op.operation.attributes:
            return None
        op.operation.attributes["seen"] = ir.UnitAttr.get()
        return True
