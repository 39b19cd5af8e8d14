"""The CPU pipeline with squares raised and lowered before torch-mlir's own passes."""

import myjit
from myjit_example.passes import LowerSquare, RaiseSquare

_CPU = myjit.pipelines.get("cpu")
_STAGE = myjit.Stage("squares", "torch", (RaiseSquare(), LowerSquare()))
PIPELINE = myjit.Pipeline(
    "example-cpu", _CPU.before("torch-backend", _STAGE).stages, _CPU.flags, _CPU.safer_flags
)
