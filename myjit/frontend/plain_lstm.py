"""LSTMs traced as plain ops, of the right shapes.

With oneDNN on they trace as its fused op, which has no lowering. Without, torch before 2.13 traces the last
states of a layer with a dimension too many (`hx.squeeze(1)` in torch/_decomp/decompositions.py, torch 2.11).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch._decomp import decompositions


@contextmanager
def plain_lstm() -> Iterator[None]:
    """Trace LSTMs as plain ops in this block."""
    enabled, one_layer = torch._C._get_mkldnn_enabled(), decompositions.one_layer_lstm

    def shaped(x: Any, hidden: Any, *rest: Any, **options: Any) -> Any:
        out, states = one_layer(x, hidden, *rest, **options)
        return out, tuple(new.reshape(old.shape) for new, old in zip(states, hidden, strict=True))

    torch._C._set_mkldnn_enabled(False)
    decompositions.one_layer_lstm = shaped
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(enabled)
        decompositions.one_layer_lstm = one_layer
