"""Give each dispatch that reads no tensors, or only those that are known, a kernel of its own.

IREE repeats such dispatches where their results are used, and finds out that two of them compute the same
only when it has decided what may be written in place: one result was then updated for the readers of the
other. Both results of `v = x[:1].argmin(0, keepdim=True); return v, v.scatter(0, v, 3)` were 3 (IREE 3.13, on
every target, without a word). Remove when tests/transforms/test_separate_repeats.py passes without this.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.flow_executables import copied, flow_executables
from myjit.mlir.flow_updates import is_read_elsewhere, written
from myjit.mlir.memory import is_tensor, memory_of
from myjit.mlir.operations import operations
from myjit.passes.base import Pass


@dataclass(frozen=True)
class SeparateRepeats(Pass):
    """Copy what `flow.dispatch` operations without tensors run, or of the same globals, from the second on.

    Of a result that others read too, what writes into it gets a dispatch of its own.
    """

    def run(self, module: Any) -> None:
        """Rewrite a module of dispatches in place."""
        for op in list(operations(module.operation)):
            for place in written(op):
                target = op.operands[place]
                source = memory_of(target).owner
                if _reads_nothing(source) and is_read_elsewhere(target):
                    op.operands[place] = _repeated(op, target, source)
        _name_apart(module)


def _reads_nothing(op: Any) -> bool:
    is_dispatch = getattr(op, "name", "") == "flow.dispatch"  # it is a block where a value is an argument
    return is_dispatch and not any(map(is_tensor, op.operands))


def _repeated(user: Any, value: Any, source: Any) -> Any:
    """Build before `user` what a view of a dispatch's result is, from the dispatch on."""
    with bindings(user).ir.InsertionPoint(user):
        if value.owner == source:
            return source.clone().results[list(source.results).index(value)]
        inner = _repeated(user, value.owner.operands[0], source)
        view = value.owner.clone()
    view.operands[0] = inner
    return view.results[0]


def _name_apart(module: Any) -> None:
    ir = bindings(module.operation).ir
    executables = flow_executables(module)
    seen: Counter[Any] = Counter()
    for dispatch in [op for op in operations(module.operation) if op.name == "flow.dispatch"]:
        read = _globals(dispatch)
        if read is None:
            continue
        (entry,) = dispatch.attributes["entry_points"]
        seen[entry, read] += 1
        if seen[entry, read] > 1:
            own, _ = copied(executables, entry, f"_repeat_{seen[entry, read]}")
            dispatch.attributes["entry_points"] = ir.ArrayAttr.get([own])


def _globals(dispatch: Any) -> tuple[str, ...] | None:
    """Return the globals that a dispatch reads; None where it reads other tensors."""
    read = [memory_of(value).owner for value in dispatch.operands if is_tensor(value)]
    if any(getattr(owner, "name", "") != "util.global.load" for owner in read):
        return None
    return tuple(str(owner.attributes["global"]) for owner in read)
