"""The CUDA pipeline: FX graph to linalg through torch-mlir, then IREE's CUDA code generator.

Attention, norms and softmax become calls of Triton kernels, products calls of
cuBLASLt, convolutions calls of cuDNN.
"""

from __future__ import annotations

from myjit.passes.pipeline import Pipeline, Stage
from myjit.pipelines._stages import (
    ABI,
    BINDINGS,
    COMMANDS,
    CORRECTNESS_FLAGS,
    EQUALS,
    INVARIANTS,
    PARTS,
    READERS,
    lowering,
)
from myjit.transforms.avoid_empty_commands import AvoidEmptyCommands
from myjit.transforms.branch_around import BranchAround
from myjit.transforms.call_kernels import CallKernels
from myjit.transforms.channels_last import ChannelsLast
from myjit.transforms.exact_logarithms import ExactLogarithms
from myjit.transforms.exact_powers import ExactPowers
from myjit.transforms.exact_trigonometry import ExactTrigonometry
from myjit.transforms.join_subgroups import JoinSubgroups
from myjit.transforms.library_products import LibraryProducts
from myjit.transforms.lower_fused import LowerFused
from myjit.transforms.outline_kernels import OutlineKernels
from myjit.transforms.raise_attention import RaiseAttention
from myjit.transforms.raise_norms import RaiseNorms
from myjit.transforms.raise_softmax import RaiseSoftmax
from myjit.transforms.read_within import ReadWithin
from myjit.transforms.refuse_half_convolutions import RefuseHalfConvolutions
from myjit.transforms.scan_alone import ScanAlone
from myjit.transforms.split_sums import SplitSums
from myjit.transforms.unsigned_extremes import UnsignedExtremes
from myjit.transforms.widen_workgroups import WidenWorkgroups
from myjit.transforms.write_out_exponentials import WriteOutExponentials

_PLAIN = Pipeline(
    name="cuda",
    stages=(
        *lowering(),
        Stage("math", "linalg", (ExactPowers(fused=True), ExactLogarithms(), ExactTrigonometry(fused=True))),
        Stage("sums", "linalg", (UnsignedExtremes(), SplitSums(block=2**13, many=512, wide=False))),
        ABI,
        Stage("libraries", "iree", (LibraryProducts(),)),
        READERS,
        PARTS,
        BINDINGS,
        EQUALS,
        INVARIANTS,
        Stage(
            "workgroups",
            "dispatch",
            (JoinSubgroups(), ReadWithin(), ScanAlone(), WidenWorkgroups(), WriteOutExponentials(apart=True)),
        ),
        COMMANDS,
        Stage("empty", "dispatch", (AvoidEmptyCommands(),)),
        Stage("branches", "kernel", (BranchAround(least=20),)),
    ),
    flags=CORRECTNESS_FLAGS,
)

PIPELINE = (
    _PLAIN.before("torch-backend", Stage("raise", "torch", (RaiseNorms(), RaiseSoftmax(), RaiseAttention())))
    .before("torch-backend", Stage("outline", "torch", (OutlineKernels(), LowerFused())))
    .before("abi", Stage("poolings", "iree", (ChannelsLast(convolve=False),)))
    .before("abi", Stage("kernels", "iree", (CallKernels(), RefuseHalfConvolutions())))
)
