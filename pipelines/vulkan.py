"""The Vulkan pipeline: FX graph to linalg through torch-mlir, then IREE's SPIR-V code generator."""

from __future__ import annotations

from myjit.passes.pipeline import Pipeline, Stage
from myjit.pipelines._stages import ABI, COMMANDS, CORRECTNESS_FLAGS, EQUALS, INVARIANTS, PARTS, lowering
from myjit.transforms.exact_logarithms import ExactLogarithms
from myjit.transforms.exact_powers import ExactPowers
from myjit.transforms.exact_trigonometry import ExactTrigonometry
from myjit.transforms.join_subgroups import JoinSubgroups
from myjit.transforms.keep_nan import KeepNan
from myjit.transforms.keep_products import KeepProducts
from myjit.transforms.keep_roundings import KeepRoundings
from myjit.transforms.limit_bindings import LimitBindings
from myjit.transforms.refuse_depthwise import RefuseDepthwise
from myjit.transforms.refuse_long_loops import RefuseLongLoops
from myjit.transforms.refuse_unaligned import RefuseUnaligned
from myjit.transforms.separate_reductions import SeparateReductions
from myjit.transforms.separate_shared import SeparateShared
from myjit.transforms.separate_unaligned import SeparateUnaligned
from myjit.transforms.split_sums import SplitSums
from myjit.transforms.unsigned_extremes import UnsignedExtremes

#: Numbers of 32 bits that each driver hands to a kernel, its push constants; NVIDIA's takes twice as many.
_NUMBERS = 32

PIPELINE = Pipeline(
    name="vulkan",
    stages=(
        *lowering(),
        Stage("math", "linalg", (ExactPowers(), ExactLogarithms(near_one=True), ExactTrigonometry())),
        Stage(
            "sums",
            "linalg",
            (UnsignedExtremes(), SplitSums(block=2**11, short=2**12, long=2**12, wide=False)),
        ),
        Stage("refuse", "linalg", (RefuseDepthwise(),)),
        ABI,
        Stage("reductions", "iree", (SeparateReductions(),)),
        Stage("readers", "global", (SeparateShared(), SeparateUnaligned())),
        PARTS,
        Stage("bindings", "global", (LimitBindings(numbers=_NUMBERS),)),
        EQUALS,
        INVARIANTS,
        Stage(
            "loops",
            "dispatch",
            (RefuseLongLoops(), RefuseUnaligned(), JoinSubgroups(), KeepRoundings(float16=True)),
        ),
        COMMANDS,
        Stage("floats", "kernel", (KeepNan(), KeepProducts())),
    ),
    flags=CORRECTNESS_FLAGS,
)
