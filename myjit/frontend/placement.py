"""Choose by cost which nodes are compiled, where a call of compiled code costs more than an op of torch."""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch.fx import Node

from myjit.frontend.nodes import FASTER, hint, is_named, is_view, tensors
from myjit.frontend.partition import partition
from myjit.targets.base import Costs, Rates

#: Ops that are compiled to calls of a library, and the element types it has.
_PRODUCTS = ("aten.mm", "aten.addmm", "aten.bmm")
_CONVOLUTION = ("aten.convolution",)
_LIBRARY = (*_PRODUCTS, *_CONVOLUTION)
_LIBRARY_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
#: Ops that reduce rows: (the argument that says which dimension, how to read it).
_NORMS = ("aten.native_layer_norm", "aten._fused_rms_norm")
_MEAN = ("aten.mean.dim",)
_ROWS = (*_NORMS, *_MEAN, "aten._softmax")
_ATTENTION = ("myjit.attention",)


@dataclass(frozen=True)
class Time:
    """Microseconds of the host and of the device, which work at the same time."""

    host: float = 0.0
    device: float = 0.0

    def __add__(self, other: Time) -> Time:
        return Time(self.host + other.host, self.device + other.device)

    @property
    def total(self) -> float:
        """What a call takes: the slower of the two."""
        return max(self.host, self.device)


def place(nodes: Sequence[Node], rejected: Collection[Node], costs: Costs) -> None:
    """Mark, in their metadata, the nodes that are faster in torch than compiled.

    `nodes` are a graph's, as the user's program has them (not decomposed): one op of them is one of
    torch's. `rejected` are those that run in torch in any case.
    """
    slower = {n for n in nodes if n not in rejected and not _may_gain(n, costs)}
    _follow(nodes, rejected, slower)
    eager = Time(costs.graph) + torch_time(nodes, costs, costs.torch_view)
    bound_by_host = eager.host >= eager.device
    ours = Time(costs.graph)
    for part in partition(nodes, {*rejected, *slower}):
        in_torch, compiled = torch_time(part.nodes, costs, costs.torch_view), compiled_time(part.nodes, costs)
        gains = compiled.host < in_torch.host if bound_by_host else compiled.device < in_torch.device
        if part.compiled and gains:
            ours += compiled
        else:
            ours += torch_time(part.nodes, costs, costs.beside_view)
            slower.update(n for n in part.nodes if n not in rejected)
    if ours.total > costs.gain * eager.total:
        slower.update(n for n in nodes if n not in rejected)
    for node in slower:
        node.meta[FASTER] = True


def _follow(nodes: Sequence[Node], rejected: Collection[Node], slower: set[Node]) -> None:
    """Leave to torch what belongs there with its neighbours.

    These are the results of ops that are left to it, and views that only it takes: there they cost no pass
    over memory.
    """
    for node in nodes:
        if node.target is operator.getitem and node.args[0] in slower:
            slower.add(node)
    for node in reversed(nodes):
        of_several = node.target is operator.getitem and not is_view(node.all_input_nodes[0])
        if is_view(node) and not of_several and node not in rejected:
            users = [u for u in node.users if u.op != "output"]
            if all(u in rejected or u in slower for u in users):
                slower.add(node)


def torch_time(nodes: Sequence[Node], costs: Costs, view: float) -> Time:
    """Estimate what torch takes, one op after the other."""
    total = Time()
    for node in nodes:
        if is_view(node):
            total += Time(view)
        elif is_named(node, _ATTENTION):
            total += Time(costs.torch_op, _attention(node, costs.torch_attention))
        else:
            moved = _bytes([node, *node.all_input_nodes])
            rows = costs.torch_rows and is_named(node, _ROWS)
            host = costs.torch_convolution if is_named(node, _CONVOLUTION) else costs.torch_op
            total += Time(host, moved / (costs.torch_rows if rows else costs.bandwidth))
    return total


def compiled_time(nodes: Sequence[Node], costs: Costs) -> Time:
    """Estimate one call in which `nodes` are fused between what has to be written down.

    Products and convolutions are a library's, here as in torch; their arithmetic is counted on neither side.
    """
    inside = set(nodes)
    work = [n for n in nodes if not is_view(n)]
    whole = {n for n in work if is_named(n, (*_LIBRARY, *_ROWS, *_ATTENTION))}
    total = Time(costs.call + _sending(work, whole, costs))
    for node in work:
        if is_named(node, _ATTENTION):
            total += Time(0.0, _attention(node, costs.attention))
            continue
        read = [
            i
            for i in node.all_input_nodes
            if _origin(i) not in inside or _origin(i) in whole or node in whole
        ]
        written = [node] if node in whole or any(_leaves(u, inside, whole) for u in node.users) else []
        speed = costs.bandwidth if is_named(node, _LIBRARY) else costs.pointwise
        speed = costs.rows if is_named(node, _ROWS) else speed
        total += Time(0.0, _bytes([*read, *written]) / speed)
        if is_named(node, _CONVOLUTION):
            total += Time(0.0, 2 * _bytes(_turned(node, inside)) / costs.pointwise)
    return total


def _turned(convolution: Node, inside: Collection[Node]) -> list[Node]:
    """Return what is written once more for a convolution, so that its channels lie last, or first again."""
    given = [n for n in convolution.args[:2] if isinstance(n, Node)]
    found = [n for n in given if _origin(n) not in inside and not _lies_last(n)]
    leaves = any(user not in inside for user in convolution.users)
    return [*found, *([convolution] if leaves and not _lies_last(convolution) else [])]


def _lies_last(node: Node) -> bool:
    """Tell whether an image, or a weight, has its channels last in memory, or is one pixel large."""
    value = node.meta["val"]
    if value.dim() != 4 or all(size == 1 for size in value.shape[2:]):
        return True
    return value.is_contiguous(memory_format=torch.channels_last)


def _sending(work: Collection[Node], whole: Collection[Node], costs: Costs) -> float:
    """Estimate what the host takes to send a part's kernels: one by one, or replayed."""
    products = sum(is_named(n, _LIBRARY) for n in work)
    rows = sum(is_named(n, _ROWS) for n in work)
    kernels = costs.row_kernels * rows + len(whole) - rows + 1
    singly = costs.product * products + costs.kernel * kernels
    return min(singly, costs.replay) if costs.replay else singly


def _attention(node: Node, rates: Rates | None) -> float:
    """Estimate an attention on the device; as nothing where no rates are known."""
    if rates is None:
        return 0.0
    query, key, value = (n.meta["val"] for n in node.args[:3] if isinstance(n, Node))
    work = 2.0 * query.shape[0] * query.shape[1] * query.shape[2] * key.shape[2]
    work *= (query.shape[3] + value.shape[3]) * (0.5 if node.args[4] else 1.0)
    if query.dtype == torch.float32:
        return work / rates.f32
    return work / (rates.half if node.args[3] is None else rates.masked)


def _origin(node: Node) -> Node:
    """Return the node that computes what a view shows."""
    while is_view(node) and node.all_input_nodes:
        node = node.all_input_nodes[0]
    return node


def _leaves(user: Node, inside: Collection[Node], whole: Collection[Node]) -> bool:
    """Tell whether a value has to be written down for a user: one elsewhere, or one that is not fused."""
    if user not in inside or user in whole:
        return True
    return is_view(user) and any(_leaves(u, inside, whole) for u in user.users)


def _may_gain(node: Node, costs: Costs) -> bool:
    values = [t for n in (node, *node.all_input_nodes) for t in tensors(n.meta.get("val"))]
    if any(not isinstance(size, int) for t in values for size in t.shape):
        return False  # its calls are compiled for sizes that are known
    if is_view(node):
        return True
    target = node.target
    if isinstance(target, torch._ops.OpOverload) and torch.Tag.pointwise in target.tags:
        return True
    if not is_named(node, costs.gaining):
        return False
    if is_named(node, _CONVOLUTION) and not _is_of_images(node):
        return False
    if is_named(node, _LIBRARY):
        return all(t.dtype in _LIBRARY_DTYPES for t in values)
    return not is_named(node, _ROWS) or _reduces_rows(node, costs.longest_row)


def _is_of_images(node: Node) -> bool:
    """Tell whether a convolution is what cuDNN is called for: two dimensions, not transposed."""
    return node.meta["val"].dim() == 4 and not node.args[6]


def _reduces_rows(node: Node, longest: int) -> bool:
    """Tell whether an op reduces the last dimension, or takes an image's mean, and that is not too long."""
    source = node.all_input_nodes[0].meta["val"]
    chosen = node.args[1]
    if source.dim() == 0:
        return False
    if is_named(node, _NORMS):
        return isinstance(chosen, (list, tuple)) and len(chosen) == 1 and source.shape[-1] <= longest
    dims = {dim % source.dim() for dim in (chosen if isinstance(chosen, (list, tuple)) else [chosen])}
    image = is_named(node, _MEAN) and dims == {2, 3} and source.dim() == 4
    length = math.prod(source.shape[dim] for dim in dims)
    return (image or dims == {source.dim() - 1}) and length <= longest


def _bytes(nodes: Sequence[Node]) -> float:
    """Return how many bytes the values of `nodes` take, with the example's sizes."""
    total = 0.0
    for tensor in (t for n in nodes for t in tensors(n.meta.get("val"))):
        count = float(tensor.dtype.itemsize)
        for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
            count *= hint(size) if not isinstance(stride, int) or stride else 1  # stride 0 repeats
        total += count
    return total
