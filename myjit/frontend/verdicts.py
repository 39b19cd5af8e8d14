"""Remember, for the life of the process, which ops the compiler refused, by exact signature."""

from __future__ import annotations

import threading
from typing import Any

import torch
from torch.fx import Node

from myjit.frontend.nodes import op_name
from myjit.frontend.support import Rejection
from myjit.passes.pipeline import Pipeline

_lock = threading.Lock()
_verdicts: dict[str, Rejection] = {}


def remember(
    node: Node, pipeline: Pipeline, rejection: Rejection, limits: str = "", *, alone: bool = True
) -> None:
    """Remember that `pipeline` cannot compile the node's op on such operands.

    `limits` are what the compiler was given besides, where that is what it failed for. What was refused among
    others, not `alone`, is so only where its operands come from such ops again and go to such.
    """
    with _lock:
        _verdicts[_key(node, pipeline, limits, "" if alone else _around(node))] = rejection


def recall(node: Node, pipeline: Pipeline, limits: str = "") -> Rejection | None:
    """Return the verdict on an op with exactly these operands, if there is one, whatever it failed for."""
    if not _verdicts:
        return None
    keys = (_key(node, pipeline, given, around) for around in ("", _around(node)) for given in ("", limits))
    return next((_verdicts[key] for key in keys if key in _verdicts), None)


def forget() -> None:
    """Forget every verdict."""
    with _lock:
        _verdicts.clear()


def _key(node: Node, pipeline: Pipeline, limits: str, around: str) -> str:
    own = (op_name(node), _describe(node.args), _describe(node.kwargs))
    return "\0".join((limits, around, pipeline.fingerprint(), *own))


def _around(node: Node) -> str:
    """Name the ops that a node reads, and those that read it."""
    read, readers = (
        sorted(op_name(each) for each in nodes if each.op == "call_function")
        for nodes in (node.all_input_nodes, node.users)
    )
    return f"{' '.join(read)} > {' '.join(readers)}"


def _describe(value: Any) -> str:
    """Write operands by what the compiler sees of them: types and sizes of tensors, constants whole."""
    if isinstance(value, Node):
        return _describe(value.meta.get("val"))
    if isinstance(value, torch.Tensor):
        sizes = ",".join(str(s) if isinstance(s, int) else "?" for s in value.shape)
        return f"{value.dtype}[{sizes}]"
    if isinstance(value, (list, tuple)):
        return f"({','.join(_describe(v) for v in value)})"
    if isinstance(value, dict):
        return _describe(sorted(value.items()))
    return repr(value) if not isinstance(value, torch.SymInt) else "?"
