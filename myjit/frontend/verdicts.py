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


def remember(node: Node, pipeline: Pipeline, rejection: Rejection, limits: str = "") -> None:
    """Remember that `pipeline` cannot compile the node's op on such operands.

    `limits` are what the compiler was given besides, where that is what it failed for.
    """
    with _lock:
        _verdicts[_key(node, pipeline, limits)] = rejection


def recall(node: Node, pipeline: Pipeline, limits: str = "") -> Rejection | None:
    """Return the verdict on an op with exactly these operands, if there is one, whatever it failed for."""
    if not _verdicts:
        return None
    found = _verdicts.get(_key(node, pipeline, ""))
    return found or _verdicts.get(_key(node, pipeline, limits))


def forget() -> None:
    """Forget every verdict."""
    with _lock:
        _verdicts.clear()


def _key(node: Node, pipeline: Pipeline, limits: str) -> str:
    parts = [limits, pipeline.fingerprint(), op_name(node), _describe(node.args), _describe(node.kwargs)]
    return "\0".join(parts)


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
