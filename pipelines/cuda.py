"""The CUDA pipeline: FX graph to linalg through torch-mlir, then IREE's CUDA code generator."""

from __future__ import annotations

from myjit.passes.pipeline import Pipeline, Stage
from myjit.pipelines._stages import ABI, COMMANDS, CORRECTNESS_FLAGS, LOWERING
from myjit.transforms.library_products import LibraryProducts
from myjit.transforms.widen_workgroups import WidenWorkgroups

PIPELINE = Pipeline(
    name="cuda",
    stages=(
        *LOWERING,
        ABI,
        Stage("libraries", "iree", (LibraryProducts(),)),
        Stage("workgroups", "dispatch", (WidenWorkgroups(),)),
        COMMANDS,
    ),
    flags=CORRECTNESS_FLAGS,
)
