"""Find the convolutions that torch's library runs faster, where that is worth cutting the graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.cost import flops
from myjit.frontend.nodes import COMPILED, hint
from myjit.mlir.panels import FARTHEST, LEAST_PLACES
from myjit.targets.base import ConvolutionGain

aten = torch.ops.aten

#: Channels of a result that fill a vector, at least.
_FULL = 8
#: Channels of a result (of each group) that panels add up well: fewer leave most of a vector empty.
_FEWEST_CHANNELS = 4
#: Dimensions of a kernel that no product of copied windows serves.
_OF_VOLUMES = 3
#: Places of a kernel of single channels whose gradient torch's library computes slowly, at least.
_LARGE = 25
#: Operations of products of float32 over several images, at most: of more torch saves what a border costs.
_FEW = 1e8
#: Elements, at most, of images whose channels each have a small kernel, by type.
_SMALL = {torch.float32: 2e5, torch.bfloat16: 1e6}


def slow_convolutions(gm: GraphModule, gain: ConvolutionGain) -> frozenset[Node]:
    """Return the convolutions to leave to torch: all that gain, or none where they gain too little."""
    convolutions = [
        n
        for n in gm.graph.find_nodes(op="call_function", target=aten.convolution.default)
        if COMPILED not in n.meta
    ]
    if not all(_is_pixelwise(n) or _adds_up_by_panels(n, gain) for n in convolutions):
        gain = replace(gain, panels=False)  # panels add up all of them, or none
    gains = {n: _gain(n, gain) for n in convolutions}
    gaining = frozenset(n for n, microseconds in gains.items() if microseconds > 0)
    least = max(gain.border, gain.each * len(gaining))
    return gaining if sum(gains[n] for n in gaining) > least else frozenset()


def quick_gradients(gm: GraphModule, gain: ConvolutionGain) -> frozenset[Node]:
    """Return the gradients of convolutions that compiled code computes no slower than torch's library.

    Those are, of known sizes, the ones by a pixel each, products (`_is_quick_product`), the ones of single
    channels: by large kernels, of small images, and of bfloat16 in steps; and of bfloat16 those that
    matrices add up.
    """
    gradients = gm.graph.find_nodes(op="call_function", target=aten.convolution_backward.default)
    return frozenset(n for n in gradients if _is_quick(n) or (gain.matrices and _adds_up_gradients(n)))


def _adds_up_gradients(node: Node) -> bool:
    """Tell whether panels of matrices add up the gradients of a convolution of images, or along lines."""
    grad, image, weight, _, _, _, dilation, is_transposed, _, groups, mask = node.args
    shapes = [each.meta["val"].shape for each in (grad, image, weight) if isinstance(each, Node)]
    assert isinstance(weight, Node)
    assert isinstance(dilation, list)
    assert isinstance(mask, list)
    if is_transposed or groups != 1 or weight.meta["val"].dtype != torch.bfloat16:
        return False
    if not all(isinstance(size, int) for shape in shapes for size in shape):
        return False
    (_, _, *places), _, (outputs, inputs, *kernel) = shapes
    if len(kernel) >= _OF_VOLUMES or min(outputs, inputs if mask[0] else outputs) < _FEWEST_CHANNELS:
        return False
    apart = dilation[-1]
    assert isinstance(apart, int)
    if math.prod(kernel) > 1 and (kernel[-1] == 1 or apart > FARTHEST):
        return False
    return not mask[0] or math.prod(places) >= LEAST_PLACES


def _is_quick(node: Node) -> bool:
    grad, image, weight, _, stride, padding, dilation, is_transposed, _, groups, _ = node.args
    shapes = [each.meta["val"].shape for each in (grad, image, weight) if isinstance(each, Node)]
    assert isinstance(weight, Node)
    known = all(isinstance(size, int) for shape in shapes for size in shape)
    dtype = weight.meta["val"].dtype
    assert isinstance(stride, list)
    assert isinstance(padding, list)
    assert isinstance(dilation, list)
    if is_transposed or not known or any(apart != 1 for apart in dilation):
        return False
    outputs, inputs, *kernel = shapes[2]
    in_steps = any(step != 1 for step in stride)
    if groups == 1:
        is_product = all(size == 1 for size in kernel) and not in_steps and not any(padding)
        return is_product and _is_quick_product(shapes[0], inputs, dtype)
    is_depthwise = groups == outputs and inputs == 1 and len(kernel) == 2
    if not is_depthwise or dtype not in _SMALL:
        return False
    is_small = dtype == torch.bfloat16 if in_steps else math.prod(shapes[1]) <= _SMALL[dtype]
    return math.prod(kernel) >= _LARGE or is_small


def _is_quick_product(shape: Sequence[int], inputs: int, dtype: torch.dtype) -> bool:
    """Tell whether products are quick that give the gradients behind a result of `shape`, by its sizes.

    Of float32 those of one image or little work; of half types those whose steps, all places, come in pairs.
    """
    images, _, *places = shape
    if dtype in (torch.bfloat16, torch.float16):
        return images * math.prod(places) % 2 == 0
    return dtype == torch.float32 and (images == 1 or 4 * math.prod(shape) * inputs <= _FEW)


@cache
def _multiplies_bfloat16() -> bool:
    """Tell whether this processor multiplies bfloat16 itself, and torch's library on it."""
    return torch.cpu._is_avx512_bf16_supported()


def _gain(node: Node, gain: ConvolutionGain) -> float:
    image, weight, groups = node.args[0], node.args[1], node.args[8]
    assert isinstance(image, Node)
    assert isinstance(weight, Node)
    dtype = weight.meta["val"].dtype
    if dtype == torch.float16 or (dtype == torch.bfloat16 and not _multiplies_bfloat16()):
        return 0.0  # emulated by torch's library: fifty times slower
    outputs, _, *kernel = (hint(size) for size in weight.meta["val"].shape)
    if _adds_up_by_panels(node, gain):
        return 0.0
    if groups == 1:
        is_product = all(size == 1 for size in kernel) or kernel == node.args[3]  # patches side by side
        each = gain.dense if len(kernel) < _OF_VOLUMES else gain.grouped  # volumes are added up one by one
        return 0.0 if is_product else each * flops(node) * max(_FULL / outputs, 1.0)
    is_depthwise = groups == outputs == hint(image.meta["val"].shape[1])
    return 0.0 if is_depthwise and len(kernel) == 2 else gain.grouped * flops(node)


def _is_pixelwise(node: Node) -> bool:
    """Tell whether a convolution takes each pixel from the one in its place."""
    _, weight, _, stride, *_, groups = node.args
    assert isinstance(weight, Node)
    assert isinstance(stride, list)
    single = all(size == 1 for size in (*weight.meta["val"].shape[2:], *stride))
    return bool(groups == 1) and single


def _adds_up_by_panels(node: Node, gain: ConvolutionGain) -> bool:
    """Tell whether compiled code adds up a convolution by panels, and most of their vectors are full.

    A transposed one becomes one of the image's places, with channels for each place of a step.
    """
    image, weight, _, stride, _, _, is_transposed, _, groups = node.args
    assert isinstance(image, Node)
    assert isinstance(weight, Node)
    assert isinstance(stride, list)
    assert isinstance(groups, int)
    shape, kernel = node.meta["val"].shape, weight.meta["val"]
    if not gain.panels or not all(isinstance(size, int) for size in (*shape, *kernel.shape)):
        return False
    if kernel.dtype == torch.bfloat16:
        step = 1 if is_transposed else stride[-1]
        assert isinstance(step, int)
        if not gain.matrices or step > FARTHEST:
            return False
    elif kernel.dtype != torch.float32:
        return False
    channels, places = kernel.shape[0] // groups, shape[2:]
    if is_transposed:
        steps = math.prod(stride)  # type: ignore[arg-type]
        channels, places = kernel.shape[1] * steps, image.meta["val"].shape[2:]
    return channels >= _FEWEST_CHANNELS and math.prod(places) >= LEAST_PLACES
