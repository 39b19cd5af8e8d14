"""Keep the order in memory that an op's results have, where a decomposition's would be another.

Torch decides by strides which views of a result it may take again outside of the graph, and so do its users.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from myjit.frontend.signature import has_gaps, memory_order
from myjit.graph._order import copy_in_order

#: Parts of the names of ops whose decompositions may permute what they return.
_REORDERING = ("attention", "aten.index.", "aten.convolution_backward")
#: Whether an op is being asked for its own results: decompositions of it would ask it in turn.
_ASKED: ContextVar[bool] = ContextVar("an op is asked for its own results", default=False)


def is_asked() -> bool:
    """Whether what runs now is an op's own form, not to be decomposed."""
    return _ASKED.get()


@contextmanager
def _asked() -> Iterator[None]:
    token = _ASKED.set(True)
    try:
        with disable_proxy_modes_tracing():
            yield
    finally:
        _ASKED.reset(token)


def ordered_like(op: Any, found: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return a decomposition's results, copied where the op's own dimensions lie in another order in memory.

    Only some ops are taken to reorder the dimensions of tensors that are contiguous. Torch copies a gradient
    that lies otherwise than its weight.
    """
    if not isinstance(found, Tensor | tuple | list):
        return found
    reorders = any(name in str(op) for name in _REORDERING)
    if not reorders and not any(map(_is_permuted, tree_leaves((args, kwargs)))):
        return found
    try:
        with _asked():
            wanted = op(*args, **kwargs)
    except Exception:  # noqa: BLE001 (the op's own error comes where the op is run)
        return found
    leaves, form = tree_flatten(found)
    return tree_unflatten(map(_in_order, leaves, tree_leaves(wanted)), form)


def _is_permuted(value: Any) -> bool:
    if not isinstance(value, Tensor) or value.layout != torch.strided:
        return False
    return memory_order(value) != tuple(range(value.dim())) or has_gaps(value)


def _in_order(found: Any, wanted: Any) -> Any:
    if not isinstance(found, Tensor) or found.layout != torch.strided:
        return found
    order = memory_order(wanted)
    return found if memory_order(found) == order else copy_in_order(found, order)
