"""Build the decomposition table that a pipeline declares."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from myjit.errors import RegistryError
from myjit.passes.base import Decompositions
from myjit.registry import Registry

DECOMPOSITIONS: Registry[dict[Any, Callable[..., Any]]] = Registry(
    "decomposition", "myjit.graph.decompositions", "DECOMPOSITIONS", "myjit.decompositions"
)


@cache
def decomposition_table(declared: Decompositions) -> dict[Any, Callable[..., Any]]:
    """Return the table: the base under the declared additions, less the ops kept whole.

    Raises:
        RegistryError: an unknown base, addition or op to keep.
    """
    table = dict(_base(declared.base))
    for name in declared.add:
        table.update(DECOMPOSITIONS.get(name))
    for name in declared.keep:
        packet = _packet(name)
        table = {op: f for op, f in table.items() if getattr(op, "overloadpacket", op) is not packet}
    return table


def _base(name: str) -> dict[Any, Callable[..., Any]]:
    if name == "torch-mlir":
        from torch_mlir.extras.fx_decomp_util import get_decomposition_table

        return get_decomposition_table()
    if name == "core-aten":
        return torch._decomp.core_aten_decompositions()
    if name == "none":
        return {}
    raise RegistryError(f"no decomposition table {name!r}: one of torch-mlir, core-aten, none")


def _packet(name: str) -> Any:
    namespace, _, op = name.partition(".")
    try:
        return getattr(getattr(torch.ops, namespace), op)
    except AttributeError as error:
        raise RegistryError(f"no op {name!r} to keep whole") from error
