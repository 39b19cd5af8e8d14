"""Nodes whose op has a kernel of the program's own: which it takes, and the pipeline that calls it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import op_name
from myjit.frontend.support import Reason, Rejection
from myjit.passes.base import Decompositions
from myjit.passes.pipeline import Pipeline
from myjit.targets.base import Costs
from myjit.user_kernels import Tensor, kernel_name, registered_ops, serves

_PASS = "outline-kernels"
_DTYPES = {
    torch.float32: "f32",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float64: "f64",
    torch.bool: "i1",
    torch.int64: "si64",
    torch.int32: "si32",
    torch.int16: "si16",
    torch.int8: "si8",
    torch.uint8: "ui8",
}


def with_own_kernels(pipeline: Pipeline) -> Pipeline:
    """Return the pipeline with the registered kernels, and with their ops kept whole."""
    ops = registered_ops()
    if not ops or not any(p.name == _PASS for s in pipeline.stages for p in s.passes):
        return pipeline
    pipeline = pipeline.with_option(f"{_PASS}.ops", ops)
    pipeline = pipeline.with_option(f"{_PASS}.kernels", tuple(map(kernel_name, ops)))
    kept = tuple(".".join(op.split(".")[:2]) for op in ops)
    for item in (p for s in pipeline.stages for p in s.passes if isinstance(p, Decompositions)):
        pipeline = pipeline.with_option(f"{item.name}.keep", (*item.keep, *kept))
    return pipeline


def with_own_ops(costs: Costs) -> Costs:
    """Return costs by which ops with registered kernels may gain."""
    return replace(costs, gaining=(*costs.gaining, *registered_ops()))


def unserved(gm: GraphModule) -> dict[Node, Rejection]:
    """Return the nodes whose op has a kernel that does not take them: they run in torch."""
    ops = registered_ops()
    found = {}
    for node in gm.graph.nodes if ops else ():
        op = _op(node, ops)
        if op and not _is_served(node, op):
            found[node] = Rejection.of(node, Reason.KERNEL)
    return found


def _op(node: Node, ops: tuple[str, ...]) -> str:
    name = op_name(node)
    return name if name in ops else name.removesuffix(".default") if name.endswith(".default") else ""


def _is_served(node: Node, op: str) -> bool:
    if op not in registered_ops():
        return True
    if not isinstance(node.target, torch._ops.OpOverload) or not _is_known(node.meta.get("val")):
        return False
    arguments: list[Any] = []
    for index, parameter in enumerate(node.target._schema.arguments):
        given = node.kwargs.get(parameter.name, parameter.default_value)
        value = node.args[index] if index < len(node.args) else given
        if isinstance(value, Node):
            tensor = value.meta.get("val")
            if tensor is None or not _is_known(tensor):
                return False
            value = Tensor(tuple(tensor.shape), _DTYPES[tensor.dtype])
        elif value is not None and not isinstance(value, (bool, int, float)):
            return False
        arguments.append(value)
    return serves(op, arguments)


def _is_known(value: Any) -> bool:
    known = isinstance(value, torch.Tensor) and value.dtype in _DTYPES
    return known and all(isinstance(s, int) and s for s in value.shape)
