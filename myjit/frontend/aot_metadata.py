"""What AOTAutograd knows of the inputs of the graph that is being compiled."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def static_inputs() -> Sequence[int]:
    """Return which inputs are parameters and buffers; none where AOTAutograd does not say."""
    metadata = _metadata()
    return metadata.static_input_indices if metadata is not None else ()


def written_inputs() -> Sequence[int] | None:
    """Return which inputs the compiled function writes to; None where AOTAutograd does not say."""
    metadata = _metadata()
    return metadata.mutated_inp_runtime_indices if metadata is not None else None


def _metadata() -> torch._functorch.aot_autograd.ViewAndMutationMeta | None:
    context = torch._guards.TracingContext.try_get()
    return context.fw_metadata if context is not None else None
