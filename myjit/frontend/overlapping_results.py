"""Gradients of results whose elements lie in the same memory: those of `(x * 3).unfold(0, 2, 1)`.

AOTAutograd copies a result's gradient into memory of the result's own strides. It knows of expanded tensors
that these cannot hold one, but not of windows that overlap (torch 2.13): the gradients were wrong.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
from torch._functorch import config
from torch.utils._pytree import tree_leaves


def gradients_of_their_own(gm: torch.fx.GraphModule) -> AbstractContextManager[None]:
    """Have AOTAutograd take gradients as they are laid out by themselves, where a result may overlap."""
    (output,) = gm.graph.find_nodes(op="output")
    nodes = (each for each in tree_leaves(output.args) if isinstance(each, torch.fx.Node))
    if any(_may_overlap(node.meta.get("example_value")) for node in nodes):
        return config.patch(guess_tangent_strides_as_outputs=False)
    return nullcontext()


def _may_overlap(value: object) -> bool:
    """Tell whether two elements of a tensor of known sizes may lie in one place."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return False
    sizes, strides = value.shape, value.stride()
    if not all(isinstance(each, int) for each in (*sizes, *strides)):
        return False  # it goes by memory formats
    reach = 0
    for stride, size in sorted(zip(strides, sizes, strict=True)):
        if size > 1:
            if stride <= reach:
                return True
            reach += stride * (size - 1)
    return False
