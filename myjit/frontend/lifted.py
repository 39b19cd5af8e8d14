"""An exported program as one part to compile, with its weights apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx import GraphModule, Node

from myjit.errors import UnsupportedGraphError
from myjit.frontend.decomposed import decomposed
from myjit.frontend.extract import Extract, extract
from myjit.frontend.nodes import tensors
from myjit.frontend.rewrite import rewrite
from myjit.frontend.saved_signature import input_facts, output_facts, structure, symbol_facts
from myjit.frontend.support import Reason, rejections
from myjit.passes.pipeline import Pipeline

aten = torch.ops.aten

#: Checks of what the artifact's own signature checks at each call.
_CHECKS = (
    aten._assert_scalar.default,
    aten._assert_tensor_metadata.default,
    aten.sym_constrain_range.default,
    aten.sym_constrain_range_for_size.default,
)
_WEIGHTS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


@dataclass(frozen=True)
class Lifted:
    """A program ready to compile.

    `arguments` says for each input of `part` which leaf of the arguments or which weight it is,
    `updates` which results replace a buffer, `facts` how the program is called. `weights` are all of
    the model's, by name.
    """

    part: Extract
    arguments: tuple[int | str, ...]
    updates: Mapping[str, int]
    weights: Mapping[str, torch.Tensor]
    facts: Mapping[str, Any]


def lift(
    program: ExportedProgram,
    pipeline: Pipeline,
    *,
    lacking: frozenset[str] = frozenset(),
) -> Lifted:
    """Decompose a program, run the fx level on it, and take it apart.

    Raises:
        UnsupportedGraphError: something in it can only run in torch.
    """
    program = decomposed(program, pipeline)
    gm = program.graph_module
    sizes = _drop_checks(gm)
    rewrite(gm, pipeline)
    _require_compilable(gm, lacking)
    signature = program.graph_signature
    call = program.call_spec
    assert call.in_spec is not None
    assert call.out_spec is not None
    held = {s.arg.name: str(s.target) for s in signature.input_specs if s.kind in _WEIGHTS}
    leaves = [s.arg.name for s in signature.input_specs if s.kind is InputKind.USER_INPUT]
    part = extract(gm, [n for n in gm.graph.nodes if n.op == "call_function"])
    (output,) = gm.graph.find_nodes(op="output")
    # The fx level gives nodes other names; the positions of results stay.
    results = list(zip(signature.output_specs, output.args[0], sizes, strict=True))
    mutated = {str(s.target): node for s, node, _ in results if s.kind is OutputKind.BUFFER_MUTATION}
    placeholders = {n.name: n.meta.get("val") for n in gm.graph.find_nodes(op="placeholder")}
    if not part.outputs:
        raise UnsupportedGraphError("the model computes nothing: its graph has no operations")
    return Lifted(
        part,
        tuple(leaves.index(n.name) if n.name in leaves else held[n.name] for n in part.inputs),
        {name: _result(part, node, name) for name, node in mutated.items()},
        _weights(program, held),
        {
            "inputs": {
                "structure": structure(call.in_spec),
                "leaves": input_facts(program, placeholders),
            },
            "outputs": {
                "structure": structure(call.out_spec),
                "leaves": output_facts(results, part.outputs, leaves, held),
            },
            "symbols": symbol_facts(program),
        },
    )


def _drop_checks(gm: GraphModule) -> list[Any]:
    """Remove checks of sizes, and results that are sizes: both are done from the inputs at the call.

    Return the sizes among the results, None for each other result.
    """
    (output,) = gm.graph.find_nodes(op="output")
    sizes = [r.meta.get("val") if isinstance(r, Node) and not _is_tensor(r) else None for r in output.args[0]]
    output.args = (tuple(r if _is_tensor(r) else None for r in output.args[0]),)
    for node in reversed(gm.graph.nodes):
        if node.target in _CHECKS and not node.users:
            gm.graph.erase_node(node)
    gm.graph.eliminate_dead_code()
    return sizes


def _is_tensor(result: Any) -> bool:
    return isinstance(result, Node) and isinstance(result.meta.get("val"), torch.Tensor)


def _require_compilable(gm: GraphModule, lacking: frozenset[str]) -> None:
    """Refuse what needs torch; the device that the model was exported on is not where it will run."""
    values = (t for n in gm.graph.nodes for t in tensors(n.meta.get("val")))
    place = next((str(t.device) for t in values), "")
    found = rejections(gm, place=place, torch_executed_ops=(), lacking=lacking)
    refused = [r for r in found.values() if r.reason is not Reason.SYMBOLIC]
    if refused:
        lines = "\n  ".join(dict.fromkeys(str(r) for r in refused))
        raise UnsupportedGraphError(f"an artifact runs without torch, and these ops need it:\n  {lines}")


def _result(part: Extract, node: Node, name: str) -> int:
    if node not in part.outputs:
        raise UnsupportedGraphError(f"the model sets its buffer {name!r} to one of its inputs")
    return part.outputs.index(node)


def _weights(program: ExportedProgram, held: Mapping[str, str]) -> dict[str, torch.Tensor]:
    state = {**program.constants, **program.state_dict}
    return {name: state[name].detach() for name in held.values() if isinstance(state[name], torch.Tensor)}
