"""The CPU pipeline for finding faults: IREE's optimisations off, and a contract after torch's own passes."""

from __future__ import annotations

from dataclasses import replace

from myjit.passes.contract import Contract
from myjit.pipelines.cpu import PIPELINE as CPU

_STAGES = tuple(
    replace(stage, ensures=Contract(("builtin", "func", "torch"))) if stage.name == "torch-backend" else stage
    for stage in CPU.stages
)

PIPELINE = replace(CPU.with_flags("--iree-opt-level=O0"), name="debug", stages=_STAGES)
