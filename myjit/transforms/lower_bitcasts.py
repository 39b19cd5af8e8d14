"""Lower `x.view(dtype)` between types of one width, which torch-mlir leaves alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from myjit.mlir.torch_dialect import TensorType, bitcast
from myjit.passes.pattern import PatternPass, pattern

_WIDTH = re.compile(r"\d+")


@dataclass(frozen=True)
class LowerBitcasts(PatternPass):
    """Turn `torch.aten.view.dtype` into a bitcast of each element, where the sizes stay the same."""

    @pattern("torch.aten.view.dtype")
    def view(self, op: Any, rewriter: Any) -> Any:
        """Bitcast; None where the widths differ."""
        before, after = TensorType.of(op.operands[0].type), TensorType.of(op.results[0].type)
        if before is None or after is None or _width(before) != _width(after) or _width(after) < 8:
            return None
        return bitcast(op.operands[0], before, after)


def _width(kind: TensorType) -> int:
    match = _WIDTH.search(kind.dtype)
    return int(match.group()) if match else 0
