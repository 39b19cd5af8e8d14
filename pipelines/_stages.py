"""Stages that several pipelines share: torch-mlir's own lowering, written out."""

from __future__ import annotations

from dataclasses import replace

from myjit.passes.base import Decompositions, FxPass, NativePass
from myjit.passes.contract import Contract
from myjit.passes.pipeline import Stage
from myjit.transforms.bind_outputs import BindOutputs
from myjit.transforms.count_invariants import CountInvariants
from myjit.transforms.forget_wrapped_ranges import ForgetWrappedRanges
from myjit.transforms.group_numbers import GroupNumbers
from myjit.transforms.insert_padded import InsertPadded
from myjit.transforms.keep_order import KeepOrder
from myjit.transforms.limit_bindings import LimitBindings
from myjit.transforms.lower_bitcasts import LowerBitcasts
from myjit.transforms.merge_equals import MergeEquals
from myjit.transforms.pad_slices import PadSlices
from myjit.transforms.protect_inputs import ProtectInputs
from myjit.transforms.read_through_slices import ReadThroughSlices
from myjit.transforms.refuse_dynamic_views import RefuseDynamicViews
from myjit.transforms.refuse_input_writes import RefuseInputWrites
from myjit.transforms.refuse_many_bindings import RefuseManyBindings
from myjit.transforms.refuse_miscasts import RefuseMiscasts
from myjit.transforms.refuse_unlowered import RefuseUnlowered
from myjit.transforms.separate_counts import SeparateCounts
from myjit.transforms.separate_diagonals import SeparateDiagonals
from myjit.transforms.separate_negated import SeparateNegated
from myjit.transforms.separate_readers import SeparateReaders
from myjit.transforms.separate_repeats import SeparateRepeats
from myjit.transforms.separate_results import SeparateResults
from myjit.transforms.separate_shared import SeparateShared
from myjit.transforms.separate_targets import SeparateTargets
from myjit.transforms.separate_updates import SeparateUpdates
from myjit.transforms.separate_widened import SeparateWidened
from myjit.transforms.sizes_as_indices import SizesAsIndices
from myjit.transforms.trim_windows import TrimWindows
from myjit.transforms.unhoist_updates import UnhoistUpdates

_CLEAN = NativePass("func.func(canonicalize)")

#: torch-mlir's table, and what it lacks or lowers wrongly (one file each in myjit/graph/decompositions/).
DECOMPOSITIONS = Decompositions(
    base="torch-mlir",
    add=(
        "adaptive-pooling",
        "as-strided",
        "attention",
        "average-pooling",
        "average-windows",
        "border-padding",
        "bounds",
        "convolutions",
        "copy-strided",
        "diagonals",
        "distances",
        "dropout",
        "elu",
        "floor-division",
        "empty-strided",
        "encoder-layer",
        "error-functions",
        "fma",
        "fmod",
        "from-torch",
        "gelu",
        "halves",
        "hyperbolics",
        "index",
        "index-put",
        "integer-ranges",
        "integers",
        "logaddexp",
        "nan-propagation",
        "norms",
        "padding",
        "pooling",
        "pooling-gradients",
        "powers",
        "roll",
        "scatter",
        "signs",
        "softmax",
        "split",
        "threshold",
        "triangles",
        "truth-values",
        "unfolding",
        "variance",
    ),
)

REWRITE = Stage(
    "rewrite",
    "fx",
    (
        FxPass("aliases"),
        FxPass("whole-lists"),
        FxPass("own-writes"),
        FxPass("known-sizes"),
        FxPass("number-tensors"),
        FxPass("idle-expands"),
        FxPass("empty-tensors"),
        FxPass("one-dimension"),
        FxPass("positive-dimensions"),
        FxPass("nan-tests"),
        FxPass("narrow-casts"),
        FxPass("narrow-sums"),
        FxPass("wide-sums"),
        FxPass("common-dtype"),
        FxPass("shifts"),
        FxPass("wide-bytes"),
        FxPass("fold-constants"),
        FxPass("early-gathers"),
        FxPass("number-devices"),
        FxPass("dynamic-views"),
    ),
)

TORCH_BACKEND = Stage(
    "torch-backend",
    "torch",
    (
        NativePass("func.func(torch-match-quantized-custom-ops)"),
        NativePass("inline"),
        NativePass("func.func(torch-reduce-op-variants)"),
        _CLEAN,
        # Otherwise it turns these back into views, which it gets wrong (myjit/graph/dynamic_views.py).
        NativePass(
            "func.func(torch-decompose-complex-ops{legal-ops=aten.flatten.using_ints,aten.unflatten.int})"
        ),
        RefuseDynamicViews(),
        NativePass("func.func(torch-recompose-complex-ops)"),
        _CLEAN,
    ),
)

TORCH_TO_LINALG = Stage(
    "torch-to-linalg",
    "torch",
    (
        NativePass("func.func(torch-restructure-non-constant-axes)"),
        NativePass("func.func(torch-fuse-quantized-ops)"),
        NativePass("func.func(convert-torch-to-tmtensor)"),
        LowerBitcasts(),
        _CLEAN,
        NativePass("func.func(convert-torch-to-linalg)"),
        InsertPadded(),
        _CLEAN,
        NativePass("func.func(convert-torch-to-scf)"),
        NativePass("func.func(convert-torch-to-arith)"),
        NativePass("func.func(convert-torch-to-tensor)"),
        NativePass("convert-torch-conversion-to-mlprogram"),
        RefuseUnlowered(),
        InsertPadded(),
        NativePass("func.func(memref-expand)"),
        _CLEAN,
        NativePass("func.func(resolve-shaped-type-result-dims)"),
        NativePass("func.func(cse)"),
        NativePass("torch-func-backend-type-conversion"),
        _CLEAN,
        NativePass("func.func(torch-finalizing-backend-type-conversion)"),
        RefuseMiscasts(),
    ),
    ensures=Contract(
        dialects=(
            "builtin",
            "func",
            "linalg",
            "tm_tensor",
            "tensor",
            "arith",
            "math",
            "scf",
            "cf",
            "affine",
            "complex",
            "ml_program",
        )
    ),
)


def lowering(*own: str, then: tuple[Stage, ...] = ()) -> tuple[Stage, ...]:
    """Return how every pipeline of a target begins: FX graph to linalg.

    A target may have decompositions of its `own`, and stages of the fx level that come `then`.
    """
    table = replace(DECOMPOSITIONS, add=(*DECOMPOSITIONS.add, *own))
    return (Stage("decompose", "fx", (table,)), REWRITE, *then, TORCH_BACKEND, TORCH_TO_LINALG)


ABI = Stage(
    "abi",
    "iree",
    (
        SizesAsIndices(),
        ReadThroughSlices(),
        TrimWindows(),
        SeparateCounts(),
        SeparateNegated(),
        SeparateUpdates(),
        PadSlices(),
        InsertPadded(),
        SeparateTargets(),
        ProtectInputs(),
        BindOutputs(),
    ),
)

READERS = Stage("readers", "global", (SeparateReaders(), SeparateShared()))

#: What kernels of GPUs may not compute for themselves.
PARTS = Stage("parts", "global", (SeparateWidened(), SeparateDiagonals()))

#: What one kernel may take of tensors.
BINDINGS = Stage("bindings", "global", (LimitBindings(),))

#: Last before IREE fuses loops.
EQUALS = Stage("equals", "global", (MergeEquals(), GroupNumbers()))

#: What is left of kernels when all that is known has been folded.
INVARIANTS = Stage(
    "invariants",
    "flow",
    (
        ReadThroughSlices(),
        CountInvariants(),
        SeparateResults(),
        UnhoistUpdates(),
        SeparateRepeats(),
        KeepOrder(),
    ),
)

COMMANDS = Stage(
    "commands",
    "dispatch",
    (KeepOrder(done=True), ForgetWrappedRanges(), RefuseInputWrites(), RefuseManyBindings()),
)

#: Flags without which programs come out wrong, whatever the target.
CORRECTNESS_FLAGS = (
    # IREE would compute float64 in float32 and change the function's signature.
    "--iree-input-demote-f64-to-f32=false",
    # IREE would compute what is constant at compile time, on the CPU and without a pipeline's passes.
    "--iree-opt-const-eval=false",
)
