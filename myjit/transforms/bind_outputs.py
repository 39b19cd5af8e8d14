"""Let the caller provide the memory of a function's results.

The importer marks the function with `myjit.outputs`, the results whose sizes the caller knows before
the call. Each gets a trailing `!hal.buffer` argument marked `iree.abi.output`, into which IREE writes
the result directly: no result is ever copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.passes.base import Pass

#: The function attribute that lists the results to bind.
OUTPUTS_ATTRIBUTE = "myjit.outputs"


@dataclass(frozen=True)
class BindOutputs(Pass):
    """Turn the `myjit.outputs` mark of each function into caller-provided result buffers."""

    def run(self, module: Any) -> None:
        """Rewrite every marked function of an IREE-side module in place."""
        ir = bindings(module).ir
        for op in module.body.operations:
            function = op.operation
            if OUTPUTS_ATTRIBUTE in function.attributes:
                _bind(ir, function)


def _bind(ir: Any, function: Any) -> None:
    indices = [attribute.value for attribute in function.attributes[OUTPUTS_ATTRIBUTE]]
    del function.attributes[OUTPUTS_ATTRIBUTE]
    if not indices:
        return
    signature = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    buffer = ir.Type.parse("!hal.buffer")
    index_type = ir.IndexType.get()
    block = function.regions[0].blocks[0]
    attributes = [ir.DictAttr.get({}) for _ in signature.inputs]
    if "arg_attrs" in function.attributes:
        attributes = list(function.attributes["arg_attrs"])
    for index in indices:
        block.add_argument(buffer, function.location)
        attributes.append(ir.DictAttr.get({"iree.abi.output": ir.IntegerAttr.get(index_type, index)}))
    inputs = [*signature.inputs, *[buffer] * len(indices)]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, signature.results))
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
