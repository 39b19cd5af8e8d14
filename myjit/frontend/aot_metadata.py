"""What AOTAutograd knows of the inputs and outputs of the graph that is being compiled."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch._functorch._aot_autograd.schemas import OutputType

#: Outputs that AOTAutograd makes views of an input, or of another output.
_VIEWS = (
    OutputType.alias_of_input,
    OutputType.alias_of_intermediate,
    OutputType.alias_of_intermediate_save_as_output,
    OutputType.alias_of_intermediate_base_is_user_output,
)


def static_inputs() -> Sequence[int]:
    """Return which inputs are parameters and buffers; none where AOTAutograd does not say."""
    metadata = _metadata()
    return metadata.static_input_indices if metadata is not None else ()


def written_inputs() -> Sequence[int] | None:
    """Return which inputs the compiled function writes to; None where AOTAutograd does not say."""
    metadata = _metadata()
    return metadata.mutated_inp_runtime_indices if metadata is not None else None


def view_outputs() -> Sequence[int]:
    """Return which results of a forward graph AOTAutograd makes views; none where it does not say."""
    metadata = _metadata()
    if metadata is None:
        return ()
    first = metadata.num_mutated_inp_runtime_indices
    return [first + i for i, info in enumerate(metadata.output_info) if info.output_type in _VIEWS]


def _metadata() -> torch._functorch.aot_autograd.ViewAndMutationMeta | None:
    context = torch._guards.TracingContext.try_get()
    return context.fw_metadata if context is not None else None
