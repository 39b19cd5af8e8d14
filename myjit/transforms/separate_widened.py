"""Compute apart what is widened and then read in parts, across, or written at places: `x.long()[:, :9]`.

IREE puts loops whose elements are wider than what they read into each kernel that reads their result. For a
slice, its GPU code generator makes "compute all, then slice" of that and writes rows beyond the end of the
result; for windows, and what is read in another order of dimensions, it reads shared memory before it is
written. Its code generator for CPUs tiles for ever where a kernel reads both a slice and the whole, or one
element of what a view made one dimension of, and keeps all that is written at places on the stack (IREE 3.13;
remove when tests/transforms/test_separate_widened.py passes without).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.memory import is_tensor
from myjit.mlir.operations import operations
from myjit.mlir.tensors import VIEWS, compute_apart
from myjit.passes.base import Pass, functions

_SLICES = ("tensor.extract_slice", "tensor.extract")
_REORDERED = ("linalg.transpose", "linalg.broadcast")


@dataclass(frozen=True)
class SeparateWidened(Pass):
    """Put a barrier before slices, windows and picked elements of what loops widen from narrower elements.

    With `cpu`, before what code for CPUs cannot compute for itself: slices of what others read too, single
    elements of views, and what is written at places.
    """

    cpu: bool = False

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        for function in functions(module):
            parts: list[Any] = []
            for op in operations(function):
                if not self.cpu:
                    parts += [*_read_in_parts(op), *_shared(_turned(op))]
                elif _is_element_of_view(op) or op.name == "iree_linalg_ext.scatter":
                    parts.append(op.operands[0])
                elif op.name in _SLICES:
                    parts += _shared([op.operands[0]])
            for value in dict.fromkeys(parts):
                if _is_widened(value):
                    compute_apart(value)


def _read_in_parts(op: Any) -> list[Any]:
    """Return the tensors of which an operation takes a slice, an element, or windows."""
    if op.name in _SLICES:
        return [op.operands[0]]
    if not op.name.startswith("linalg."):
        return []
    maps = zip(op.operands, Loops(op).maps(), strict=False)
    return [value for value, map_ in maps if not map_.is_projected_permutation]


def _is_element_of_view(op: Any) -> bool:
    if op.name != "tensor.extract_slice" or getattr(op.operands[0].owner, "name", "") not in VIEWS:
        return False
    kind = bindings(op).ir.RankedTensorType(op.results[0].type)
    return kind.has_static_shape and all(size == 1 for size in kind.shape)


def _turned(op: Any) -> list[Any]:
    """Return the tensors whose dimensions an operation reads in another order."""
    if not op.name.startswith("linalg."):
        return []
    along = zip(op.operands, Loops(op).along(), strict=False)
    return [value for value, loops in along if loops != sorted(loops)]


def _shared(values: list[Any]) -> list[Any]:
    """Return of values, and what they are computed from, what others read too: the rest is fused for good."""
    waiting, found = list(values), []
    while waiting:
        current = waiting.pop()
        if len({use.owner.operation for use in current.uses}) > 1:
            found.append(current)
        else:
            waiting += _sources(current)
    return found


def _is_widened(value: Any) -> bool:
    """Tell whether parallel loops, and views between them, compute a tensor from narrower elements."""
    width, waiting, seen = _width(value), [value], set()
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        if is_tensor(current) and _width(current) < width:
            return True
        waiting += _sources(current)
    return False


def _sources(value: Any) -> list[Any]:
    """Return the tensors, of one dimension at least, that a kernel may compute a value from on its own."""
    op = value.owner
    if getattr(op, "name", "") in VIEWS:
        return [op.operands[0]]
    if getattr(op, "name", "") in _REORDERED or _is_parallel(op):
        results = len(op.results)
        return [each for each in list(op.operands)[:-results] if is_tensor(each) and _rank(each)]
    return []


def _is_parallel(op: Any) -> bool:
    return getattr(op, "name", "") == "linalg.generic" and "reduction" not in Loops(op).iterators


def _rank(value: Any) -> int:
    return bindings(value).ir.RankedTensorType(value.type).rank


def _width(value: Any) -> int:
    """Return the bits of an element."""
    ir = bindings(value).ir
    kind = ir.RankedTensorType(value.type).element_type
    return kind.width if isinstance(kind, ir.IntegerType | ir.FloatType) else 64
