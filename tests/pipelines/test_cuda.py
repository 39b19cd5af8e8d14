"""The CUDA pipeline shares the CPU's way to linalg, without its tiles and flags."""

from __future__ import annotations

from myjit.pipelines.cpu import PIPELINE as CPU
from myjit.pipelines.cuda import PIPELINE


def test_it_lowers_as_the_cpu_does():
    for level in ("fx", "torch", "linalg", "iree"):
        own = PIPELINE
        for stage in ("math", "raise", "outline", "kernels", "libraries"):
            own = own.without(stage)
        assert own.level(level) == CPU.without("math").without("convolutions").level(level)
    assert [stage.name for stage in PIPELINE.level("dispatch")] == ["workgroups", "commands"]
    assert [stage.name for stage in PIPELINE.level("kernel")] == ["branches"]


def test_it_carries_no_flag_of_another_code_generator():
    assert "--iree-input-demote-f64-to-f32=false" in PIPELINE.flags
    assert not [flag for flag in PIPELINE.flags if "llvmcpu" in flag]
