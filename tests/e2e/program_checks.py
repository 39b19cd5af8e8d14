"""Hold a compiled program against eager, or its distance to what float64 gives against eager's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor


def difference(
    function: Callable[..., list[Tensor]],
    compiled: Callable[..., list[Tensor]],
    calls: Sequence[Mapping[str, Tensor]],
    *,
    smooth: bool = False,
    gradients: bool = False,
    device: str = "cpu",
    repeats: int = 1,
) -> str:
    """Return where the results of two functions differ, empty if nowhere, be it in the order of memory.

    `smooth` compares distances to the results in float64, else each number counts. With `gradients` those of
    a sum of the results, with small whole weights, are results as well, their order free. The second function
    is called `repeats` times: what races does not go wrong in each.
    """
    for number, call in enumerate(calls):
        inputs = [value.to(device) for value in call.values()]
        expected = _results(function, inputs, gradients)
        exact: Sequence[Any] = [None] * len(expected)
        if smooth:
            exact = _in_float64(function, inputs, gradients)
        traced = partial(_traced, function, inputs, gradients)
        for _ in range(repeats):
            actual = _results(compiled, inputs, gradients)
            for place, values in enumerate(zip(actual, expected, exact, strict=True)):
                shapes = ", ".join(str(list(value.shape)) for value in call.values())
                where = f"result {place} of call {number} ({shapes})"
                if not _close(*values):
                    return f"{where}: {_most_different(*values[:2])}"
                if not _same_order(*values[:2]) and not _same_order(values[0], traced()[place]):
                    return f"{where}: strides {values[0].stride()}, in eager {values[1].stride()}"
    return ""


def _results(
    function: Callable[..., list[Tensor]], inputs: Sequence[Tensor], gradients: bool
) -> list[Tensor]:
    inputs = [value.clone() for value in inputs]
    wanted = [value.requires_grad_() for value in inputs if value.is_floating_point()] if gradients else []
    results = list(function(*inputs))
    roots = [result for result in results if result.requires_grad]
    if roots:
        random = torch.Generator("cpu").manual_seed(1)
        weights = [torch.randint(-3, 4, r.shape, generator=random, device="cpu").to(r) for r in roots]
        total = sum((root * weight).sum() for root, weight in zip(roots, weights, strict=True))
        found = torch.autograd.grad(total, wanted, allow_unused=True)  # type: ignore[arg-type]
        results += [torch.zeros(()) if each is None else each.contiguous() for each in found]
    return [result.detach() for result in results]


def _traced(function: Callable[..., list[Tensor]], inputs: Sequence[Tensor], gradients: bool) -> list[Tensor]:
    """Return the results in the order that torch's shape functions say, which is not always eager's own."""
    torch._dynamo.reset()
    return _results(torch.compile(function, backend="aot_eager"), inputs, gradients)


def _in_float64(
    function: Callable[..., list[Tensor]], inputs: Sequence[Tensor], gradients: bool
) -> list[Tensor]:
    try:
        torch.set_default_dtype(torch.float64)
        return _results(function, [v.double() if v.dtype == torch.float32 else v for v in inputs], gradients)
    finally:
        torch.set_default_dtype(torch.float32)


def _same_order(actual: Tensor, expected: Tensor) -> bool:
    """Tell whether the dimensions lie in memory in the same order, where the expected tensor has no gaps."""
    if expected.numel() == 0 or not torch.ops.aten.is_non_overlapping_and_dense(expected):
        return True
    return all(
        size == 1 or stride == wanted
        for size, stride, wanted in zip(expected.shape, actual.stride(), expected.stride(), strict=True)
    )


def _close(actual: Tensor, expected: Tensor, exact: Tensor | None) -> bool:
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return False
    if not actual.dtype.is_floating_point:
        return torch.equal(actual, expected)
    if exact is None:  # but for gradients that are shared between equal numbers, the same to the bit
        largest = expected.nan_to_num(0.0, 0.0, 0.0).abs().max().item() if expected.numel() else 0.0
        return torch.allclose(actual, expected, rtol=1e-5, atol=1e-5 * max(largest, 1.0))
    if not torch.equal(actual.isnan(), expected.isnan()):
        return False
    exact = exact.double()
    scale = max(exact.nan_to_num(0.0).abs().max().item(), 1e-2)
    ours, theirs = (
        (value.double() - exact).nan_to_num(0.0).abs().max().item() for value in (actual, expected)
    )
    return ours <= 1e-3 * scale + 5 * theirs


def _most_different(actual: Tensor, expected: Tensor) -> str:
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        forms = [f"{list(each.shape)} {each.dtype}" for each in (actual, expected)]
        return f"{forms[0]}, in eager {forms[1]}"
    distance = (actual.double() - expected.double()).abs().flatten()
    distance[(actual != expected).flatten() & distance.isnan()] = float("inf")
    places = distance.nan_to_num(0.0, float("inf")).topk(min(4, distance.numel())).indices
    found, wanted = (each.flatten()[places].tolist() for each in (actual, expected))
    count = int((distance > 0).sum())
    return f"{count} of {distance.numel()} differ, at {places.tolist()}: {found}, in eager {wanted}"
