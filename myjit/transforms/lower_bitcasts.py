"""Lower `x.view(dtype)` between types of one width, which torch-mlir leaves alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from myjit.mlir.torch_dialect import TensorType
from myjit.passes.pattern import PatternPass, pattern

_WIDTH = re.compile(r"\d+")


@dataclass(frozen=True)
class LowerBitcasts(PatternPass):
    """Turn `torch.aten.view.dtype` into a bitcast of each element, where the sizes stay the same."""

    @pattern("torch.aten.view.dtype")
    def view(self, op: Any, rewriter: Any) -> Any:
        """Cast to a builtin tensor, bitcast, and cast back; None where the widths differ."""
        from torch_mlir import ir

        before, after = TensorType.of(op.operands[0].type), TensorType.of(op.results[0].type)
        if before is None or after is None or _width(before) != _width(after) or _width(after) < 8:
            return None
        source = ir.Operation.create(
            "torch_c.to_builtin_tensor", [_builtin(before)], [op.operands[0]]
        ).results[0]
        cast = ir.Operation.create("arith.bitcast", [_builtin(after)], [source]).results[0]
        return ir.Operation.create("torch_c.from_builtin_tensor", [op.results[0].type], [cast]).results[0]


def _width(kind: TensorType) -> int:
    match = _WIDTH.search(kind.dtype)
    return int(match.group()) if match else 0


def _builtin(kind: TensorType) -> Any:
    from torch_mlir import ir

    sizes = "".join(f"{'?' if s is None else s}x" for s in kind.shape)
    return ir.Type.parse(f"tensor<{sizes}{re.sub('^[su]i', 'i', kind.dtype)}>")
