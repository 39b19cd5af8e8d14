"""Keep fused loops from taking more tensors, or more sizes of them, than IREE's runtime can hand to a kernel.

A sum of forty tensors became a kernel that it refused to load, as did one of thirty whose sizes change (IREE
3.13, on every target). Remove when tests/transforms/test_limit_bindings.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.memory import is_tensor
from myjit.mlir.operations import operations
from myjit.mlir.regions import COMPUTED, MADE, MOST_BINDINGS, MOST_CONSTANTS, is_bound
from myjit.mlir.tensors import VIEWS, computed_apart
from myjit.passes.base import Pass, functions

#: Named operations without a reduction.
_PARALLEL = ("linalg.transpose", "linalg.broadcast", "linalg.copy", "linalg.map")


@dataclass(frozen=True)
class LimitBindings(Pass):
    """Put barriers where kernels would take more than `most` tensors, or `numbers`, two for each size."""

    most: int = MOST_BINDINGS - 2  # for what later passes add
    numbers: int = MOST_CONSTANTS

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        for function in functions(module):
            for block in function.regions[0].blocks:
                _limit(block, self)


@dataclass(frozen=True)
class _Kernel:
    """What a kernel that computes a tensor would read and write at most, and a result of its reduction."""

    tensors: frozenset[Any]
    reduction: Any = None


def _limit(block: Any, limits: LimitBindings) -> None:
    kernels: dict[Any, _Kernel] = {}
    for op in [op.operation for op in block if _is_fused(op.operation)]:
        kernel = _kernel(op, kernels)
        while _exceeds(limits, {*kernel.tensors, *op.results}):
            counts = [len(_of(value, kernels).tensors) for value in op.operands]
            place = counts.index(max(counts))
            if counts[place] < 2:
                break  # they are the operation's own
            with bindings(op).ir.InsertionPoint(op), op.location:
                op.operands[place] = computed_apart(op.operands[place])
            kernel = _kernel(op, kernels)
        for result in op.results:
            own = [result] if _is_written(result) else []
            kernels[result] = _Kernel(kernel.tensors.union(own), kernel.reduction)


def _exceeds(limits: LimitBindings, tensors: set[Any]) -> bool:
    ir = bindings(next(iter(tensors))).ir
    shapes = [ir.RankedTensorType(value.type).shape for value in tensors]
    changing = sum(size == ir.ShapedType.get_dynamic_size() for shape in shapes for size in shape)
    return len(tensors) > limits.most or 2 * changing > limits.numbers - 8  # left for other numbers


def _kernel(op: Any, kernels: dict[Any, _Kernel]) -> _Kernel:
    """Return the kernel of an operation and of those before it that IREE may fuse with it.

    A kernel has one reduction: another's result is read.
    """
    parts = {value: _of(value, kernels) for value in op.operands}
    by_reduction: dict[Any, set[Any]] = {op.results[0]: set()} if _reduces(op) else {}
    for part in parts.values():
        if part.reduction is not None and not _reduces(op):
            by_reduction.setdefault(part.reduction, set()).update(part.tensors)
    kept = max(by_reduction, key=lambda each: len(by_reduction[each]), default=None)
    tensors = set(by_reduction.get(kept, ()))
    for value, part in parts.items():
        if part.reduction is None:
            tensors.update(part.tensors)
        elif part.reduction != kept:
            tensors.add(value)
    gathered = (each.operands[0] for each in operations(op) if each.name == "tensor.extract")
    return _Kernel(frozenset(tensors.union(gathered)), kept)


def _of(value: Any, kernels: dict[Any, _Kernel]) -> _Kernel:
    """Return the kernel that computes a value; of others, what is read."""
    return kernels.get(value) or _Kernel(frozenset((value,) if is_bound(value) else ()))


def _is_fused(op: Any) -> bool:
    return op.name.startswith((*COMPUTED, *VIEWS)) and op.name not in MADE and any(map(is_tensor, op.results))


def _is_written(value: Any) -> bool:
    """Tell whether others read a tensor than the one that IREE may fuse with what computes it."""
    users = [use.owner.operation for use in value.uses]
    return len(users) != 1 or not _is_fused(users[0])


def _reduces(op: Any) -> bool:
    if op.name == "linalg.generic":
        return "reduction" in Loops(op).iterators
    return op.name.startswith(COMPUTED) and op.name not in _PARALLEL
