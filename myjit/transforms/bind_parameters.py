"""Take a function's weights out of its arguments: the runtime provides them by name when it loads.

The importer's side marks the function with `myjit.parameters`: a name for each argument, empty for
those that stay arguments. Each named one becomes a global `#flow.parameter.named`, so the weights are
neither in the IR nor passed at each call, and IREE may pack them once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.parameters import parameter_global
from myjit.passes.base import Pass
from myjit.passes.pipeline import IREE_PHASES, Pipeline, Stage

#: The function attribute that names the arguments to take out.
PARAMETERS_ATTRIBUTE = "myjit.parameters"


def binding_parameters(pipeline: Pipeline) -> Pipeline:
    """Insert the pass that takes the weights out, in front of the other passes of the iree level."""
    stage = Stage("parameters", "iree", (BindParameters(),))
    before = [s for s in pipeline.stages if s.level not in ("iree", *IREE_PHASES)]
    after = [s for s in pipeline.stages if s not in before]
    return replace(pipeline, stages=(*before, stage, *after))


@dataclass(frozen=True)
class BindParameters(Pass):
    """Turn the arguments that `myjit.parameters` names into globals loaded by name."""

    def run(self, module: Any) -> None:
        """Rewrite every marked function of an IREE-side module in place."""
        ir = bindings(module).ir
        for op in list(module.body.operations):
            function = op.operation
            if PARAMETERS_ATTRIBUTE in function.attributes:
                _bind(ir, module, function)


def _bind(ir: Any, module: Any, function: Any) -> None:
    names = [attribute.value for attribute in function.attributes[PARAMETERS_ATTRIBUTE]]
    del function.attributes[PARAMETERS_ATTRIBUTE]
    signature = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    block = function.regions[0].blocks[0]
    arguments = list(block.arguments)
    top = ir.InsertionPoint.at_block_begin(module.body)
    for index, name in enumerate(names):
        if name:
            symbol, kind = f"parameter_{index}", arguments[index].type
            top.insert(ir.Operation.parse(parameter_global(symbol, name, kind)))
            with ir.InsertionPoint.at_block_begin(block):
                reference = {"global": ir.FlatSymbolRefAttr.get(symbol)}
                load = ir.Operation.create("util.global.load", results=[kind], attributes=reference)
            arguments[index].replace_all_uses_with(load.result)
    for index in reversed(range(len(names))):
        if names[index]:
            block.erase_argument(index)
    left = [i for i, name in enumerate(names) if not name]
    inputs = [signature.inputs[i] for i in left]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, signature.results))
    if "arg_attrs" in function.attributes:
        attributes = list(function.attributes["arg_attrs"])
        function.attributes["arg_attrs"] = ir.ArrayAttr.get([attributes[i] for i in left])
