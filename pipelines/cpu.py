"""The CPU pipeline: FX graph to linalg through torch-mlir, then IREE's llvm-cpu code generator."""

from __future__ import annotations

from myjit.passes.base import FxPass
from myjit.passes.pipeline import Pipeline, Stage
from myjit.pipelines._stages import (
    ABI,
    BINDINGS,
    COMMANDS,
    CORRECTNESS_FLAGS,
    EQUALS,
    INVARIANTS,
    READERS,
    lowering,
)
from myjit.transforms.blas_products import BlasProducts
from myjit.transforms.branch_around import BranchAround
from myjit.transforms.channels_last import ChannelsLast
from myjit.transforms.convolutions_to_loops import ConvolutionsToLoops
from myjit.transforms.convolutions_to_products import ConvolutionsToProducts
from myjit.transforms.divide_rows import DivideRows
from myjit.transforms.exact_float64 import ExactFloat64
from myjit.transforms.exact_logarithms import ExactLogarithms
from myjit.transforms.exact_powers import ExactPowers
from myjit.transforms.exact_trigonometry import ExactTrigonometry
from myjit.transforms.fit_stack import FitStack
from myjit.transforms.fuse_rows import FuseRows
from myjit.transforms.hide_contractions import HideContractions
from myjit.transforms.join_copies import JoinCopies
from myjit.transforms.keep_denormals import KeepDenormals
from myjit.transforms.keep_products import KeepProducts
from myjit.transforms.keep_roundings import KeepRoundings
from myjit.transforms.keep_transposed import KeepTransposed
from myjit.transforms.merge_equals import MergeEquals
from myjit.transforms.multiply_by_panels import MultiplyByPanels
from myjit.transforms.narrow_divisions import NarrowDivisions
from myjit.transforms.pack_contractions import PackContractions
from myjit.transforms.read_rows import ReadRows
from myjit.transforms.reduce_together import ReduceTogether
from myjit.transforms.reduce_with_producer import ReduceWithProducer
from myjit.transforms.round_integers import RoundIntegers
from myjit.transforms.scale_exponentials import ScaleExponentials
from myjit.transforms.separate_interleaved import SeparateInterleaved
from myjit.transforms.separate_steps import SeparateSteps
from myjit.transforms.separate_widened import SeparateWidened
from myjit.transforms.share_outputs import ShareOutputs
from myjit.transforms.share_workgroups import ShareWorkgroups
from myjit.transforms.split_sums import SplitSums
from myjit.transforms.take_whole_rows import TakeWholeRows
from myjit.transforms.tile_contractions import TileContractions
from myjit.transforms.tile_depthwise import TileDepthwise
from myjit.transforms.tile_vector_products import TileVectorProducts
from myjit.transforms.transpose_in_registers import TransposeInRegisters
from myjit.transforms.turn_halves import TurnHalves
from myjit.transforms.widen_truths import WidenTruths
from myjit.transforms.widen_vectors import WidenVectors
from myjit.transforms.write_out_copies import WriteOutCopies
from myjit.transforms.write_out_exponentials import WriteOutExponentials
from myjit.transforms.write_out_float64 import WriteOutFloat64
from myjit.transforms.write_out_remainders import WriteOutRemainders
from myjit.transforms.write_out_roundings import WriteOutRoundings
from myjit.transforms.write_out_softmax import WriteOutSoftmax
from myjit.transforms.write_while_reducing import WriteWhileReducing

#: What each gains stands in benchmarks/NOTES.md.
SPEED_FLAGS = (
    # Sums in any order, as torch's own: without it IREE adds one number after the other.
    "--iree-llvmcpu-reassociate-fp-reductions=true",
    # Packs what pack-contractions marks, and multiplies it with IREE's microkernels.
    "--iree-dispatch-creation-data-tiling=true",
    "--iree-llvmcpu-enable-ukernels=mmt4d,pack,unpack",
    # Bytes of the stack that a kernel may take: by itself IREE refuses programs that need more than 32 KB.
    "--iree-llvmcpu-stack-allocation-limit=262144",
)

PIPELINE = Pipeline(
    name="cpu",
    stages=(
        *lowering("depthwise-gradients", then=(Stage("masks", "fx", (FxPass("draw-masks"),)),)),
        Stage(
            "math",
            "linalg",
            (
                ExactPowers(fused=True),
                WriteOutFloat64(),
                ExactFloat64(),
                ExactLogarithms(),
                ExactTrigonometry(fused=True, float64=True),
            ),
        ),
        Stage("sums", "linalg", (WidenTruths(), SplitSums())),
        ABI,
        Stage(
            "convolutions",
            "iree",
            (ConvolutionsToLoops(), ChannelsLast(), ConvolutionsToProducts()),
        ),
        Stage("products", "iree", (KeepTransposed(), SeparateInterleaved())),
        Stage("libraries", "global", (TurnHalves(), BlasProducts())),
        READERS,
        Stage("parts", "global", (SeparateWidened(cpu=True), SeparateSteps())),
        Stage("packing", "global", (PackContractions(),)),
        BINDINGS,
        # Regions that `fuse-rows` makes hide what is in them from the next stage.
        Stage(
            "rows",
            "global",
            (
                MergeEquals(),
                ReduceTogether(),
                WriteOutSoftmax(),
                FuseRows(),
                ReduceWithProducer(),
                WriteWhileReducing(),
            ),
        ),
        EQUALS,
        INVARIANTS,
        Stage("outputs", "flow", (JoinCopies(), ShareOutputs())),
        Stage(
            "tiles",
            "dispatch",
            (
                HideContractions(),
                WriteOutCopies(),
                TileContractions(),
                TileVectorProducts(),
                TileDepthwise(),
                ReadRows(),
                TransposeInRegisters(),
                TakeWholeRows(),
                WidenVectors(),
                DivideRows(),
                FitStack(),
                NarrowDivisions(),
                WriteOutExponentials(),
                WriteOutRoundings(),
                MultiplyByPanels(),
                RoundIntegers(),
                KeepRoundings(),
            ),
        ),
        COMMANDS,
        Stage("numbers", "kernel", (WriteOutRemainders(), ScaleExponentials(), KeepProducts())),
        Stage("threads", "kernel", (BranchAround(), ShareWorkgroups(), KeepDenormals())),
    ),
    flags=(*CORRECTNESS_FLAGS, *SPEED_FLAGS),
    safer_flags=(("--iree-dispatch-creation-data-tiling=false",),),
)
