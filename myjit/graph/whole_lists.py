"""Write lists of one number out where it stands for each of several dimensions: `padding=(1,)` of an image.

torch takes it so, while torch-mlir reads what lies behind the list for the other dimensions.
"""

from __future__ import annotations

import torch
from torch.fx import GraphModule

from myjit.graph._lists import whole_list


def run(gm: GraphModule) -> None:
    """Rewrite arguments in place, to as many numbers as their op's schema asks for."""
    for node in gm.graph.nodes:
        if not isinstance(node.target, torch._ops.OpOverload):
            continue
        for place, argument in enumerate(node.target._schema.arguments):
            given = node.args[place] if place < len(node.args) else node.kwargs.get(argument.name)
            if argument.N is None or not isinstance(given, (list, tuple)) or len(given) != 1:
                continue
            whole = whole_list(given, argument.N)
            if place < len(node.args):
                node.update_arg(place, whole)
            else:
                node.update_kwarg(argument.name, whole)
