"""Cast floating-point numbers to small integers through int32, as torch's kernels do.

A direct cast of a number out of range gives anything; torch keeps the low bits.
"""

from __future__ import annotations

import torch
import torch._prims  # registers prims.convert_element_type
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import with_origin

aten = torch.ops.aten

_NARROW = (torch.uint8, torch.int8, torch.int16)


def run(gm: GraphModule) -> None:
    """Put a cast to int32 before every cast from a floating-point type to a narrow one."""
    for target in (aten._to_copy.default, torch.ops.prims.convert_element_type.default):
        for node in gm.graph.find_nodes(op="call_function", target=target):
            source = node.args[0].meta["val"]
            if node.meta["val"].dtype in _NARROW and source.is_floating_point():
                _split(gm, node)


def _split(gm: GraphModule, node: Node) -> None:
    source = node.args[0]
    assert isinstance(source, Node)
    with gm.graph.inserting_before(node):
        wide = gm.graph.call_function(aten._to_copy.default, (source,), {"dtype": torch.int32})
    with_origin(wide, node, source.meta["val"].to(torch.int32))
    node.args = (wide, *node.args[1:])
