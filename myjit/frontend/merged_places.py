"""Read at places along several dimensions, of sizes that change, as at places along one.

torch-mlir has no lowering for others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Node

from myjit.frontend.nodes import MASKS

aten = torch.ops.aten


def merge_places(write: Callable[..., Node], node: Node) -> None:
    """Let `x[i, j]`, with places of sizes that change, read the first two dimensions as one.

    The places must be in range, from zero: of two of which one is not, a place in range can be made.
    """
    if node.target is not aten.index.Tensor:
        return
    args: Any = node.args
    tensor, indices = args
    places = [each for each in indices if each is not None]
    in_front = all(each is not None for each in indices[: len(places)])
    values = [each.meta["val"] for each in places]
    symbolic = any(isinstance(size, torch.SymInt) for value in values for size in value.shape)
    if len(places) < 2 or not in_front or not symbolic or any(value.dtype in MASKS for value in values):
        return
    merged = write(torch.ops.prims.convert_element_type.default, places[0], torch.int64)
    for dim, place in enumerate(places[1:], 1):
        size = tensor.meta["val"].shape[dim]
        if isinstance(size, torch.SymInt):
            size = write(aten.sym_size.int, tensor, dim)
        merged = write(aten.add.Tensor, write(aten.mul.Scalar, merged, size), place)
    node.args = (write(aten.flatten.using_ints, tensor, 0, len(places) - 1), [merged])
