"""The CPU pipeline with activations, norms and softmax raised to the `fused` dialect and lowered again.

For passes that want to see them whole: put yours between `raise` and `lower-fused`.
"""

from __future__ import annotations

from dataclasses import replace

from myjit.passes.pipeline import Stage
from myjit.pipelines.cpu import PIPELINE as CPU
from myjit.transforms.lower_fused import LowerFused
from myjit.transforms.raise_fused import RaiseFused

PIPELINE = replace(
    # What is raised stays whole until then: lower-fused writes what these decompositions would have.
    CPU.with_option("decompositions.keep", ("aten.gelu", "aten._softmax", "aten.var_mean"))
    .before("torch-backend", Stage("raise", "torch", (RaiseFused(),)))
    .before("torch-backend", Stage("lower-fused", "torch", (LowerFused(),))),
    name="fused",
)
