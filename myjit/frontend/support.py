"""What is left to torch before the compiler is even asked, each with its reason.

Only facts that the compiler cannot report itself stand here: results that would be silently wrong,
state that torch owns (random generators), and what the user asked for. Everything else is found out
by compiling it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.aliases import ALIAS
from myjit.frontend.convolutions import slow_convolutions
from myjit.frontend.divisors import divides_whole_numbers
from myjit.frontend.nodes import (
    FASTER,
    MISCOMPILED,
    is_empty,
    is_named,
    is_symbolic_scalar,
    is_view,
    op_name,
    source_line,
    tensors,
)
from myjit.frontend.signature import has_gaps
from myjit.graph._fills import is_fill
from myjit.targets.base import ConvolutionGain

aten = torch.ops.aten
POOLING = aten.max_pool2d_with_indices.default


class Reason(Enum):
    """Why a node runs in torch."""

    SYMBOLIC = "sizes are computed in Python"
    RANDOM = "random numbers come from torch's generator"
    ALIAS = "a view that shares its memory with another result"
    REQUESTED = "listed in torch_executed_ops"
    FASTER = "torch's own library is faster"
    KERNEL = "its kernel does not take these arguments"
    SMALL = "too little work for a call of its own"
    EMPTY = "it computes no elements"
    DTYPE = "the data type is not compiled"
    LACKING = "the target has no code for the data type"
    DEVICE = "the tensor is on another device"
    MUTATION = "writes into its inputs"
    CHECK = "a check, which raises torch's own error"
    DATA_DEPENDENT = "the output's size depends on the data"
    HIGHER_ORDER = "a higher-order operator"
    WRONG = "known to be compiled wrongly"
    IMPORT = "torch-mlir's importer refused it"
    LOWERING = "torch-mlir's lowering refused it"
    CODEGEN = "IREE refused it"
    PASS = "a pass of the pipeline failed"
    FAULT = "an error of myjit's own"
    CRASH = "the compiler crashed on it or took too long"
    VERIFICATION = "the compiled result differed from eager"

    @property
    def by_design(self) -> bool:
        """Whether torch is where such nodes belong; `fallback="error"` does not count them."""
        return self in _BY_DESIGN


_BY_DESIGN = frozenset(
    {
        Reason.SYMBOLIC,
        Reason.ALIAS,
        Reason.RANDOM,
        Reason.REQUESTED,
        Reason.FASTER,
        Reason.KERNEL,
        Reason.SMALL,
        Reason.CHECK,
        Reason.EMPTY,
        Reason.LACKING,
    }
)

#: Ops that come out wrong without a word: with any numbers, as masks, with integers.
_WRONG: dict[Any, str] = {
    aten.logcumsumexp.default: "-inf and large numbers",
    aten._embedding_bag.default: "the bags",
    aten._embedding_bag_forward_only.default: "the bags",
    aten.sort.default: "equal elements, and NaN, come in another order",
    aten.sort.stable: "NaN and truth values come in another order",
    aten.topk.default: "equal elements, and NaN, come in another order",
}
_BY_INDICES = frozenset(
    (aten.index.Tensor, aten._unsafe_index.Tensor, aten.index_put.default, aten._unsafe_index_put.default)
)
_PRODUCTS = ("aten.mm", "aten.bmm", "aten.addmm", "aten.baddbmm", "aten.matmul", "aten.mv")
_EVENLY_APART = (aten.linspace, aten.logspace)
_RANGES = (aten.arange.default, aten.arange.start, aten.arange.start_step)
_COMPILED_DTYPES = {
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint8,
    torch.bool,
}


@dataclass(frozen=True)
class Rejection:
    """One node that runs in torch, why, and where the user wrote it."""

    node: str
    op: str
    reason: Reason
    detail: str = ""
    source: str = ""

    @classmethod
    def of(cls, node: Node, reason: Reason, detail: str = "") -> Rejection:
        """Build the rejection of a node."""
        return cls(node.name, op_name(node), reason, detail, source_line(node))

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        where = f" at {self.source}" if self.source else ""
        return f"{self.op}: {self.reason.value}{detail}{where}"


def rejections(
    gm: GraphModule,
    *,
    place: str,
    torch_executed_ops: tuple[str, ...],
    faster_in_torch: tuple[str, ...] = (),
    convolutions: ConvolutionGain | None = None,
    slow_places: bool = False,
    lacking: frozenset[str] = frozenset(),
) -> dict[Node, Rejection]:
    """Return the nodes of a graph that are left to torch without asking the compiler.

    `place` is the device whose tensors are compiled, as torch writes it; `lacking` are the data types that
    the target has no code for.
    """
    found: dict[Node, Rejection] = {}
    slow = slow_convolutions(gm, convolutions) if convolutions is not None else frozenset()
    slow |= poolings_with_places(gm) if slow_places else frozenset()
    for node in gm.graph.nodes:
        if node.op != "call_function":
            continue
        producer = node.args[0] if op_name(node) == "getitem" else None
        if isinstance(producer, Node) and producer in found:
            found[node] = Rejection.of(node, found[producer].reason, found[producer].detail)
            continue
        verdict = _verdict(node, place, torch_executed_ops)
        faster = FASTER in node.meta or node in slow or is_named(node, faster_in_torch)
        if verdict is None and faster:
            verdict = Reason.FASTER, ""
        if verdict is None and lacking:
            verdict = _lacking(node, lacking)
        if verdict is not None:
            found[node] = Rejection.of(node, *verdict)
    for node in gm.graph.find_nodes(op="call_function", target=aten.empty.memory_format):
        if all(u in found and found[u].reason is Reason.RANDOM for u in node.users):
            found[node] = Rejection.of(node, Reason.RANDOM, "to be filled")
    return found


def poolings_with_places(gm: GraphModule) -> frozenset[Node]:
    """Return the poolings that say at which place of a window its largest element was found."""
    pools = gm.graph.find_nodes(op="call_function", target=POOLING)
    return frozenset(n for n in pools if any(user.args[1] == 1 and user.users for user in n.users))


def _verdict(node: Node, place: str, torch_executed_ops: tuple[str, ...]) -> tuple[Reason, str] | None:
    target = node.target
    if is_symbolic_scalar(node):
        return Reason.SYMBOLIC, ""
    if ALIAS in node.meta:
        return Reason.ALIAS, ""
    if MISCOMPILED in node.meta:
        return Reason.WRONG, node.meta[MISCOMPILED]
    if is_named(node, torch_executed_ops):
        return Reason.REQUESTED, ""
    if isinstance(target, torch._ops.HigherOrderOperator):
        return Reason.HIGHER_ORDER, target.name()
    if isinstance(target, torch._ops.OpOverload):
        if torch.Tag.nondeterministic_seeded in target.tags:
            return Reason.RANDOM, ""
        if torch.Tag.dynamic_output_shape in target.tags and target not in _BY_INDICES:
            # also where the program asserts what its size will be
            return Reason.DATA_DEPENDENT, ""
        if target._schema.is_mutable:
            return Reason.MUTATION, ""
        if not target._schema.returns:
            return Reason.CHECK, ""
    return _verdict_on_values(node, place)


def _lacking(node: Node, lacking: frozenset[str]) -> tuple[Reason, str] | None:
    values = (t for n in (node, *node.all_input_nodes) for t in tensors(n.meta.get("val")))
    names = {str(t.dtype).removeprefix("torch.") for t in values} & lacking
    return (Reason.LACKING, ", ".join(sorted(names))) if names else None


def _verdict_on_values(node: Node, place: str) -> tuple[Reason, str] | None:
    inputs = [t for n in node.all_input_nodes for t in tensors(n.meta.get("val"))]
    outputs = list(tensors(node.meta.get("val")))
    if not outputs and name_of_value(node):
        return Reason.DATA_DEPENDENT, name_of_value(node)
    wrong = _known_wrong(node, outputs)
    if wrong:
        return Reason.WRONG, wrong
    if outputs and all(is_empty(t) for t in outputs):
        return Reason.EMPTY, ""
    for tensor in (*inputs, *outputs):
        if tensor.dtype not in _COMPILED_DTYPES:
            return Reason.DTYPE, str(tensor.dtype)
        if str(tensor.device) != place:
            return Reason.DEVICE, str(tensor.device)
        if tensor.layout != torch.strided:
            return Reason.DTYPE, str(tensor.layout)
    if any(_unbacked(t) for t in (*inputs, *outputs)):
        return Reason.DATA_DEPENDENT, ""
    unknown = [n.name for n in node.all_input_nodes if n.meta.get("val") is None]
    return (Reason.DATA_DEPENDENT, f"nothing is known of {unknown[0]}") if unknown else None


def _known_wrong(node: Node, outputs: list[torch.Tensor]) -> str:
    """Say what would come out wrong; empty where nothing is known to."""
    if node.target in _WRONG:
        return _WRONG[node.target]
    if node.target in _BY_INDICES and torch.bool in _dtypes(node.args[1]):
        return "a mask is taken for indices"
    if node.target in _RANGES and _counts_in_fractions(node):
        return "whole numbers counted in fractions: its last ones are not written"
    packet = getattr(node.target, "overloadpacket", None)
    if packet in _EVENLY_APART and not any(t.is_floating_point() or t.is_complex() for t in outputs):
        return "integers evenly apart are rounded otherwise"
    if node.target is aten.upsample_nearest2d_backward.default and not _divides(node.args[2], node.args[1]):
        return "pixels that count several times are taken once"
    if divides_whole_numbers(node) and node.args[1] == 0:
        return "division by zero"
    if node.target is aten.copy.default and _fills_gaps(node):
        return "its memory has gaps"
    if node.target is aten.slice_scatter.default and _writes_own_product(node):
        return "a slice written from a matrix product of the tensor itself"
    return ""


def _writes_own_product(node: Node) -> bool:
    """Tell whether what is written was computed from the same tensor by way of a matrix product.

    A tensor of one number does not count, whose slices in steps of one are padding (`pad-slices`).
    """
    base, waiting = node.args[0], [(n, False) for n in node.all_input_nodes if n is not node.args[0]]
    if isinstance(base, Node) and is_fill(base) and not node.kwargs and node.args[5:] in ((), (1,)):
        return False
    seen: set[tuple[Node, bool]] = set()
    while waiting:
        one, multiplied = waiting.pop()
        if one is base and multiplied:
            return True
        if one is base or (one, multiplied) in seen:
            continue
        seen.add((one, multiplied))
        multiplied = multiplied or is_named(one, _PRODUCTS)
        waiting.extend((n, multiplied) for n in one.all_input_nodes)
    return False


def _fills_gaps(copy: Node) -> bool:
    """Tell whether a copy goes into memory of its own that has gaps, as empty_strided makes it."""
    into = copy.args[0]
    fresh = isinstance(into, Node) and into.op == "call_function" and not is_view(into)
    return fresh and has_gaps(copy.meta["val"])


def _divides(sizes: Any, wholes: Any) -> bool:
    """Tell whether each of the last sizes is known to go into its whole without a rest."""
    pairs = zip(sizes[-len(wholes) :], wholes, strict=True)
    return all(isinstance(s, int) and isinstance(w, int) and s > 0 and w % s == 0 for s, w in pairs)


def _counts_in_fractions(node: Node) -> bool:
    whole = not node.meta["val"].is_floating_point()
    return whole and any(isinstance(limit, float) for limit in node.args)


def _dtypes(indices: Any) -> set[torch.dtype]:
    return {n.meta["val"].dtype for n in indices if n is not None}


def name_of_value(node: Node) -> str:
    """Describe a value that is no tensor, such as a number read out of one; empty for none at all."""
    value = node.meta.get("val")
    return "" if isinstance(value, (tuple, list)) else type(value).__name__


def _unbacked(tensor: torch.Tensor) -> bool:
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    return bool(free_unbacked_symbols(tensor))
