"""The CPU pipeline with norms, activations, softmax, attention and rope raised to the `fused` dialect.

They are lowered again one stage later. For passes that want to see them whole: put yours between
`raise` and `lower-fused`.
"""

from __future__ import annotations

from dataclasses import replace

from myjit.passes.pipeline import Stage
from myjit.pipelines.cpu import PIPELINE as CPU
from myjit.transforms.lower_fused import LowerFused
from myjit.transforms.raise_activations import RaiseActivations
from myjit.transforms.raise_attention import RaiseAttention
from myjit.transforms.raise_norms import RaiseNorms
from myjit.transforms.raise_rope import RaiseRope
from myjit.transforms.raise_softmax import RaiseSoftmax

RAISE = Stage(
    "raise",
    "torch",
    (RaiseActivations(), RaiseNorms(), RaiseRope(), RaiseSoftmax(), RaiseAttention()),
)

PIPELINE = replace(
    CPU.before("torch-backend", RAISE).before(
        "torch-backend", Stage("lower-fused", "torch", (LowerFused(),))
    ),
    name="fused",
)
