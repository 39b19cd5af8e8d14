"""An exported program in the ops that a pipeline's passes are written for."""

from __future__ import annotations

import torch._inductor.inductor_prims  # noqa: F401 registers prims.fma, which a decomposition names
from torch.export import ExportedProgram

from myjit.frontend.decompose import decomposition_table
from myjit.frontend.recurrent import recurrent_as_in_eager
from myjit.passes.pipeline import Pipeline


def decomposed(program: ExportedProgram, pipeline: Pipeline) -> ExportedProgram:
    """Return the program decomposed with the pipeline's table."""
    with recurrent_as_in_eager():
        return program.run_decompositions(dict(decomposition_table(pipeline.decompositions())))
