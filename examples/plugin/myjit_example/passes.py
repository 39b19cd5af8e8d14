"""Passes between torch's multiplication and `example.square`."""

from __future__ import annotations

from dataclasses import dataclass

from torch_mlir import ir

import myjit


@dataclass(frozen=True)
class RaiseSquare(myjit.PatternPass):
    """Find products of a tensor with itself."""

    @myjit.pattern("torch.aten.mul.Tensor")
    def product(self, op, rewriter):
        """Turn x * x into example.square."""
        left, right = op.operands
        if left != right or left.type != op.results[0].type:
            return None
        return ir.Operation.create("example.square", [op.results[0].type], [left])


@dataclass(frozen=True)
class LowerSquare(myjit.PatternPass):
    """Turn example.square into what torch-mlir lowers."""

    @myjit.pattern("example.square")
    def square(self, op, rewriter):
        """Turn example.square into torch.aten.square."""
        return ir.Operation.create("torch.aten.square", [op.results[0].type], [op.operands[0]])
