"""Raise rotary position embedding to the `fused` dialect (the form with halves: Llama, GPT-NeoX)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.torch_dialect import TensorType
from myjit.mlir.torch_matching import close, either_order, made_by, plain, same
from myjit.passes.pattern import pattern
from myjit.passes.raising import RaisingPass, build


@dataclass(frozen=True)
class RaiseRope(RaisingPass):
    """Raise x * cos + rotate_half(x) * sin, in any order."""

    @pattern("torch.aten.add.Tensor")
    def rope(self, op: Any, rewriter: Any) -> Any:
        """Take a sum of two products, one with x and one with its halves turned."""
        operation = op.operation
        if not close(operation.operands[2], 1):
            return None
        for left, right in either_order(operation):
            first, second = (made_by(plain(side), "mul.Tensor") for side in (left, right))
            if first is None or second is None:
                continue
            for turned, sin in either_order(second):
                x = _turned(turned)
                if x is None:
                    continue
                for operand, cos in either_order(first):
                    fits = cos.type == sin.type and x.type == operation.results[0].type
                    if plain(operand) == x and fits:
                        return build("rope", x.type, [x, cos, sin])
        return None


def _turned(value: Any) -> Any:
    """Return x where `value` is cat(-second half of x, first half of x), over the last dimension."""
    joined = made_by(plain(value), "cat")
    kind = TensorType.of(value.type)
    if joined is None or kind is None or not kind.shape or not kind.shape[-1]:
        return None
    size, last = kind.shape[-1], len(kind.shape) - 1
    if constant_of(joined.operands[1]) not in (-1, last) or size % 2:
        return None
    parts = list(joined.operands[0].owner.operands)
    negated = made_by(plain(parts[0]), "neg") if len(parts) == 2 else None
    if negated is None:
        return None
    second = _slice(negated.operands[0], size // 2, size, last)
    first = _slice(parts[1], 0, size // 2, last)
    return first if same(first, second) else None


def _slice(value: Any, start: int, end: int, last: int) -> Any:
    """Return x where `value` is x[..., start:end]."""
    made = made_by(plain(value), "slice.Tensor")
    if made is None:
        return None
    x, dim, begin, stop, step = made.operands
    kind = TensorType.of(x.type)
    size = kind.shape[-1] if kind is not None and kind.shape else None
    if size is None or constant_of(dim) not in (-1, last) or constant_of(step) != 1:
        return None
    first, beyond = constant_of(begin), constant_of(stop)
    fits = first == start and isinstance(beyond, int) and min(beyond, size) == end
    return plain(x) if fits else None
