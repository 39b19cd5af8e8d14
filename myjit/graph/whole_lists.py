"""Write lists of one number out where it stands for each of several dimensions: `padding=(1,)` of an image.

torch takes it so, while torch-mlir reads what lies behind the list for the other dimensions.
"""

from __future__ import annotations

import torch
from torch.fx import GraphModule


def run(gm: GraphModule) -> None:
    """Rewrite arguments in place, to as many numbers as their op's schema asks for."""
    for node in gm.graph.nodes:
        if not isinstance(node.target, torch._ops.OpOverload):
            continue
        for place, argument in enumerate(node.target._schema.arguments):
            name = argument.name
            given = node.args[place] if place < len(node.args) else node.kwargs.get(name)
            if not isinstance(given, (list, tuple)) or len(given) != 1 or (argument.N or 1) == 1:
                continue
            if place < len(node.args):
                node.update_arg(place, list(given) * argument.N)
            else:
                node.update_kwarg(name, list(given) * argument.N)
