"""An extracted part to torch-dialect bytecode, FX node names in its locations."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from myjit.artifact import Signature, TensorSpec
from myjit.errors import Diagnostic, GraphImportError
from myjit.frontend.extract import Extract
from myjit.frontend.nodes import op_name, source_line
from myjit.mlir import context as mlir
from myjit.mlir.diagnostics import NODE_PREFIX, collect
from myjit.runtime.interop import inverse
from myjit.transforms.bind_outputs import OUTPUTS_ATTRIBUTE
from myjit.transforms.bind_parameters import PARAMETERS_ATTRIBUTE
from myjit.transforms.protect_inputs import GIVEN_UP

aten = torch.ops.aten


def import_part(part: Extract, signature: Signature, parameters: Sequence[str] = ()) -> bytes:
    """Import a part as the function `main` of a module in the torch dialect; return its bytecode.

    `parameters` names the weights among the inputs for `bind-parameters`. Tensors cross the border in
    memory order, so the function begins and ends with the permutations that the signature tells.

    Raises:
        GraphImportError: naming the node that the importer refused.
    """
    from torch_mlir import ir

    graph = in_memory_order(part.module, signature)
    _drop_devices(graph)
    context = mlir.new_context()
    importer = _importer(context)
    locator = _name_locations(importer)
    with collect(context) as diagnostics:
        try:
            with torch.utils._python_dispatch._disable_current_modes():  # constants are read, a GPU's too
                importer.import_stateless_graph(graph, func_name="main")
        except Exception as error:  # the importer raises whatever it meets: typed here, once
            raise _import_error(error, locator.last, tuple(diagnostics)) from error
    module = importer.module
    with context, ir.Location.unknown():
        integer = ir.IntegerType.get_signless(64)
        bound = ir.ArrayAttr.get([ir.IntegerAttr.get(integer, i) for i in signature.bound])
        attributes = module.body.operations[0].attributes
        attributes[OUTPUTS_ATTRIBUTE] = bound
        if signature.in_place:
            given_up = {given for _, given in signature.in_place}
            marks = [
                {GIVEN_UP: ir.UnitAttr.get()} if i in given_up else {} for i in range(len(signature.inputs))
            ]
            attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(mark) for mark in marks])
        if any(parameters):
            attributes[PARAMETERS_ATTRIBUTE] = ir.ArrayAttr.get([ir.StringAttr.get(n) for n in parameters])
    return mlir.to_bytecode(module)


def in_memory_order(gm: GraphModule, signature: Signature) -> Graph:
    """Copy a part's graph with its permuted inputs and outputs as they lie in memory."""
    graph = Graph(owning_module=gm)
    copies: dict[Node, Node] = {}
    inputs = iter(signature.inputs)
    permuted: list[tuple[Node, Node, tuple[int, ...]]] = []
    for node in gm.graph.nodes:
        if node.op == "output":
            break
        if node.op != "placeholder" and permuted:
            for original, outer, order in permuted:
                copies[original] = _permute(graph, outer, inverse(order), original.meta)
            permuted.clear()
        copies[node] = graph.node_copy(node, copies.__getitem__)
        copies[node].meta = copy.copy(node.meta)
        if node.op == "placeholder":
            spec = next(inputs)
            if isinstance(spec, TensorSpec) and spec.is_permuted:
                _set_value(copies[node], node.meta["val"].permute(spec.order))
                permuted.append((node, copies[node], spec.order))
    results = []
    (outputs,) = gm.graph.find_nodes(op="output")
    for node, spec in zip(outputs.args[0], signature.outputs, strict=True):
        result = copies[node]
        results.append(_permute(graph, result, spec.order, node.meta) if spec.is_permuted else result)
    graph.output(tuple(results))
    return graph


def _drop_devices(graph: Graph) -> None:
    """Let ops that make tensors name no device but the CPU: compiled code knows of none."""
    for node in graph.nodes:
        if node.kwargs.get("device") is not None:
            node.kwargs = {**node.kwargs, "device": torch.device("cpu")}


def _permute(graph: Graph, source: Node, order: tuple[int, ...], meta: dict[str, Any]) -> Node:
    node = graph.call_function(aten.permute.default, (source, list(order)))
    node.meta = copy.copy(meta)
    _set_value(node, source.meta["val"].permute(order))
    return node


def _set_value(node: Node, value: torch.Tensor) -> None:
    node.meta["val"] = value
    node.meta.pop("tensor_meta", None)


class _Locator:
    """Remembers the node whose location was asked for last: the one being imported."""

    last: Node | None = None


def _name_locations(importer: Any) -> _Locator:
    """Make the importer write FX node names into locations, in front of the user's source lines."""
    from torch_mlir import ir
    from torch_mlir.extras.fx_importer import ContextCache

    locator = _Locator()

    class NamedLocations(ContextCache):
        __slots__ = ()

        def get_node_location(self, node: Node) -> Any:
            locator.last = node
            base = super().get_node_location(node)
            name = ir.Location.file(f"{NODE_PREFIX}{node.name}", 0, 0, context=self._c)
            return name if base is None else ir.Location.callsite(name, [base], context=self._c)

    importer._cc.__class__ = NamedLocations
    return locator


def _importer(context: Any) -> Any:
    """Return torch-mlir's importer, less a check of the context that is ours.

    That check logs to the root logger, which gives it a handler: `logging.basicConfig` did nothing after it.
    """
    from torch_mlir.extras.fx_importer import FxImporter

    class Importer(FxImporter):
        def _config_check(self) -> None:
            pass

    return Importer(context=context, hooks=_hooks())


def _hooks() -> Any:
    """Import tensor literals from their memory; the importer's own way goes through Python lists."""
    from torch_mlir import ir
    from torch_mlir.extras.fx_importer import FxImporterHooks, create_mlir_tensor_type

    class Literals(FxImporterHooks):
        def resolve_literal(self, gni: Any, literal: Any, info: Any) -> Any:
            if not isinstance(literal, torch.Tensor) or literal.numel() < 2:
                return None
            plain = literal.detach().cpu().contiguous()
            bits = plain.view(torch.uint16) if plain.dtype == torch.bfloat16 else plain
            array = bits.numpy()
            context = gni.fx_importer._c
            with context, ir.Location.unknown(context):
                value = ir.DenseResourceElementsAttr.get_from_buffer(
                    array, "literal", create_mlir_tensor_type(literal)
                )
                op = ir.Operation.create(
                    "torch.vtensor.literal",
                    results=[gni._cc.tensor_to_vtensor_type(literal)],
                    attributes={"value": value},
                    ip=ir.InsertionPoint(gni._b),
                )
            return op.result

    return Literals()


def _import_error(
    error: Exception, node: Node | None, diagnostics: tuple[Diagnostic, ...]
) -> GraphImportError:
    text = (str(error).splitlines() or [""])[0]
    message = f"{type(error).__name__}: {text}"[:300]
    if node is None or node.op == "output":
        return GraphImportError(message, diagnostics=diagnostics)
    where = Diagnostic("error", f"{op_name(node)}: {message}", (node.name,), source_line(node))
    return GraphImportError(f"cannot import {op_name(node)}", diagnostics=(where, *diagnostics))
