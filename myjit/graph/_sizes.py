"""Nodes for symbolic sizes, computed from the graph's own inputs."""

from __future__ import annotations

from typing import Any

import sympy
import torch
from torch.fx import GraphModule, Node, Proxy
from torch.fx.node import map_arg
from torch.fx.proxy import TraceError
from torch.utils._sympy.interp import sympy_interp
from torch.utils._sympy.reference import PythonReferenceAnalysis

aten = torch.ops.aten


class SizeNodes:
    """Turns sizes into arguments of new nodes.

    Sizes are computed at the beginning of the graph, from integers and tensors that it takes, never
    from values in between: that would tie the arithmetic of sizes to the middle of a partition.
    """

    def __init__(self, gm: GraphModule) -> None:
        self._graph = gm.graph
        self._placeholders = gm.graph.find_nodes(op="placeholder")
        self._known: dict[sympy.Expr, Node] = {}

    def argument(self, size: Any) -> Any:
        """Return a size as an integer or as the node that computes it.

        Raises:
            LookupError: the size does not follow from the graph's inputs by ops that can be traced.
        """
        if not isinstance(size, torch.SymInt):
            return size
        expression = size.node.expr
        if expression not in self._known:
            first = next(n for n in self._graph.nodes if n.op != "placeholder")
            with self._graph.inserting_before(first):
                self._known[expression] = self._computed(expression)
        return self._known[expression]

    def _computed(self, expression: sympy.Expr) -> Node:
        free = [s for s in expression.free_symbols if isinstance(s, sympy.Symbol)]
        symbols = {s: Proxy(self._symbol(s)) for s in free}
        try:
            node = sympy_interp(PythonReferenceAnalysis, symbols, expression).node
        except TraceError as error:  # a function that Python can only compute on real numbers
            raise LookupError(f"no ops compute {expression}") from error
        _value(node)
        return node

    def _symbol(self, symbol: sympy.Symbol) -> Node:
        for node in self._placeholders:
            value = node.meta.get("val")
            if isinstance(value, torch.SymInt) and value.node.expr == symbol:
                return node
        for node in self._placeholders:
            value = node.meta.get("val")
            shape = value.shape if isinstance(value, torch.Tensor) else ()
            for dim, other in enumerate(shape):
                if isinstance(other, torch.SymInt) and other.node.expr == symbol:
                    return self._graph.call_function(aten.sym_size.int, (node, dim))
        raise LookupError(f"no input of the graph tells {symbol}")


def _value(arg: Any) -> Any:
    """Return a node's value, computing and noting those of new nodes."""
    if not isinstance(arg, Node):
        return arg
    if "val" not in arg.meta:
        assert callable(arg.target)
        arg.meta["val"] = arg.target(*map_arg(arg.args, _value))
    return arg.meta["val"]
