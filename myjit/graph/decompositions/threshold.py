"""The gradient of a threshold in the operands' common type: torch's decomposition takes the gradient's."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def threshold_backward(grad: Tensor, x: Tensor, threshold: float) -> Any:
    """Return the gradient where `x` is above the threshold, zero elsewhere."""
    dtype = torch.result_type(grad, x)
    return torch.where(x <= threshold, 0, grad.to(dtype))


DECOMPOSITIONS = {aten.threshold_backward.default: threshold_backward}
