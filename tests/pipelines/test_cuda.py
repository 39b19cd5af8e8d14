"""The CUDA pipeline shares the CPU's way to linalg, without its tiles and flags."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from myjit import compile_part
from myjit.errors import PassError
from myjit.launches import Call, Launch, Launches, read
from myjit.lower import lower_and_codegen
from myjit.pipelines.cpu import PIPELINE as CPU
from myjit.pipelines.cuda import PIPELINE
from myjit.transforms import call_kernels

FLAGS = ("--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80")


def language_model(kind, name, **sizes):
    import transformers

    config = getattr(transformers, f"{kind}Config")(vocab_size=32, **sizes)
    config.use_cache = False
    return getattr(transformers, name)(config).eval(), torch.randint(0, 32, (2, 48))


def images():
    first, each, last = nn.Conv2d(8, 32, 3), nn.Conv2d(32, 32, 3, groups=32), nn.Conv2d(32, 8, 1)
    return nn.Sequential(first, nn.BatchNorm2d(32), nn.ReLU(), each, nn.ReLU(), last).eval()


PROGRAMS = {
    "causal": lambda: (
        lambda x: F.scaled_dot_product_attention(x, x + 1, x - 1, is_causal=True),
        torch.randn(2, 2, 96, 32),
    ),
    "constant": lambda: (
        lambda x: F.layer_norm(x * torch.tensor(list(range(96))), (96,)),
        torch.randn(8, 96),
    ),
    "convolutions": lambda: (images(), torch.randn(2, 8, 16, 16)),
    "GPT-2": lambda: language_model("GPT2", "GPT2LMHeadModel", n_layer=1, n_embd=64, n_head=2),
    "Llama": lambda: language_model(
        "Llama",
        "LlamaForCausalLM",
        num_hidden_layers=1,
        hidden_size=64,
        num_attention_heads=2,
        intermediate_size=64,
    ),
}
CALLS = {
    "causal": ["attention"],
    "constant": ["norm"],
    "convolutions": ["convolution", "convolution", "depthwise"],
    "GPT-2": ["attention", *["matmul"] * 5, *["norm"] * 3],
    "Llama": ["attention", *["matmul"] * 8, *["norm"] * 3],
}


@pytest.fixture
def launches(compiled, monkeypatch):
    """A function and a tensor, to what they are compiled to for a GPU that need not be there."""
    requests = []
    submit = compile_part.POOL.submit
    monkeypatch.setattr(
        compile_part.POOL, "submit", lambda request, *rest: requests.append(request) or submit(request, *rest)
    )

    def launches(function, x, *, launched=True) -> Launches:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is refused for other devices
            compiled(function, pipeline=PIPELINE, fallback="eager")(x)
        request = requests[0]
        # Triton compiles when a program is loaded.
        monkeypatch.setattr(call_kernels, "find_spec", lambda name: name)
        reply = lower_and_codegen(replace(request, target_flags=FLAGS, launches=launched), lambda step: None)
        return read(reply.vmfb)

    return launches


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_launches_and_call_kernels(name, launches):
    commands = launches(*PROGRAMS[name]()).commands
    assert sorted(c.operation for c in commands if isinstance(c, Call)) == CALLS[name]


def test_transposes_between_convolutions_are_gone(launches):
    commands = launches(*PROGRAMS["convolutions"]()).commands
    turned = [c.kernel for c in commands if isinstance(c, Launch) and "transpose" in c.kernel]
    assert len(turned) == 3  # the image at the start, the one weight that has a height, and the result


@pytest.mark.parametrize("launched", [True, False])
def test_half_convolutions_are_a_librarys_or_refused(launches, launched):
    """IREE's own code for them is wrong (myjit/transforms/refuse_half_convolutions.py)."""
    model, x = images().half(), torch.randn(2, 8, 16, 16).half()
    if launched:
        calls = [c.operation for c in launches(model, x).commands if isinstance(c, Call)]
        assert sorted(calls) == CALLS["convolutions"]
        return
    with pytest.raises(PassError, match="convolutions of half types"):
        launches(model, x, launched=False)


def test_kernels_compute_no_more_than_their_results(launches):
    def function(x):
        wide = x.long().flatten()
        return torch.outer(wide[:9], wide[:5])

    commands = launches(function, torch.arange(591).int().view(3, 197)).commands
    assert len(commands) == 2
    for command in commands:
        assert isinstance(command, Launch)
        assert math.prod(command.grid) <= 19  # blocks of 32 threads: 591 elements, and 9 rows


def test_it_lowers_as_the_cpu_does():
    assert CPU.decompositions().add == (*PIPELINE.decompositions().add, "depthwise-gradients")
    own, cpu = PIPELINE, CPU
    for stage in ("decompose", "math", "sums", "raise", "outline", "poolings", "kernels", "libraries"):
        own = own.without(stage)
    for stage in ("decompose", "masks", "math", "sums", "convolutions", "products"):
        cpu = cpu.without(stage)
    for level in ("fx", "torch", "linalg", "iree"):
        assert own.level(level) == cpu.level(level)
    assert [stage.name for stage in PIPELINE.level("dispatch")] == ["workgroups", "commands", "empty"]
    assert [stage.name for stage in PIPELINE.level("kernel")] == ["branches"]


@pytest.mark.parametrize("name", ["all", "columns", "channels"])
def test_parts_of_long_sums_have_workgroups_of_their_own(launches, name):
    shape, function = {
        "all": ((2**20,), lambda x: x.sum()),
        "columns": ((2**15, 64), lambda x: x.sum(0)),
        "channels": ((8, 16, 128, 64), lambda x: x.sum((0, 2, 3))),
    }[name]
    commands = [c for c in launches(function, torch.randn(shape)).commands if isinstance(c, Launch)]
    assert max(math.prod(command.grid) for command in commands) >= 64


def test_it_carries_no_flag_of_another_code_generator():
    assert "--iree-input-demote-f64-to-f32=false" in PIPELINE.flags
    assert not [flag for flag in PIPELINE.flags if "llvmcpu" in flag]
