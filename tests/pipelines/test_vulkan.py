"""The Vulkan pipeline shares the CPU's way to linalg, and adds what its code generator gets wrong."""

from __future__ import annotations

from myjit.pipelines.cpu import PIPELINE as CPU
from myjit.pipelines.vulkan import PIPELINE


def test_it_lowers_as_the_cpu_does():
    assert CPU.decompositions().add == (*PIPELINE.decompositions().add, "depthwise-gradients")
    for level in ("fx", "torch"):
        assert PIPELINE.without("decompose").level(level) == CPU.without("decompose").without("masks").level(
            level
        )
    assert [stage.name for stage in PIPELINE.level("dispatch")] == ["loops", "commands"]
    added = [
        p.name
        for level in ("linalg", "iree", "global", "kernel")
        for s in PIPELINE.level(level)
        for p in s.passes
    ]
    assert added[:3] == ["exact-powers", "exact-logarithms", "exact-trigonometry"]
    assert added[3:5] == ["unsigned-extremes", "split-sums"]
    assert added[-10:-7] == ["separate-reductions", "separate-shared", "separate-unaligned"]
    assert added[-7:-4] == ["separate-widened", "separate-diagonals", "limit-bindings"]
    assert added[-4:-2] == ["merge-equals", "group-numbers"]
    assert added[-2:] == ["keep-nan", "keep-products"]


def test_it_carries_no_flag_of_another_code_generator():
    assert "--iree-input-demote-f64-to-f32=false" in PIPELINE.flags
    assert not [flag for flag in PIPELINE.flags if "llvmcpu" in flag]
