"""Time kernels and models on a GPU: eager, Inductor, ours by default, with everything compiled, and tuned.

`backend eager` is torch.compile around eager: what no backend can undercut.

Run: python -m benchmarks.gpu [--only TEXT] [--rounds N] [--without-inductor]
Microseconds a call, medians of rounds of calls between two events of the device; the ways take turns. Prints
a Markdown table.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

import myjit
from benchmarks.silence import only_fallbacks

Case = tuple[Callable[..., Any], tuple[Any, ...]]
HALF = torch.float16


def _of(function: Callable[..., Any], *shapes: tuple[int, ...], dtype: torch.dtype = torch.float32) -> Any:
    return lambda: (function, tuple(torch.randn(s, device="cuda", dtype=dtype) for s in shapes))


def _module(build: Callable[[], nn.Module], *shapes: tuple[int, ...], dtype: torch.dtype = HALF) -> Any:
    return lambda: (
        build().to("cuda", dtype).eval(),
        tuple(torch.randn(s, device="cuda", dtype=dtype) for s in shapes),
    )


def _chain(x: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(x) * torch.cos(x) + torch.exp(-x * x).tanh()


def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v)


def _masked() -> Case:
    q, k, v = (torch.randn(8, 12, 512, 64, device="cuda", dtype=HALF) for _ in range(3))
    mask = torch.rand(8, 1, 1, 512, device="cuda") > 0.1
    return lambda *given: F.scaled_dot_product_attention(*given[:3], attn_mask=given[3]), (q, k, v, mask)


def _block() -> nn.Module:
    return nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, activation="gelu")


def _text(kind: str, name: str, dtype: torch.dtype, **sizes: int) -> Callable[[], Case]:
    def build() -> Case:
        import transformers

        config = getattr(transformers, f"{kind}Config")(vocab_size=8192, **sizes)
        config.use_cache = False
        model = getattr(transformers, name)(config).to("cuda", dtype).eval()
        return model, (torch.randint(0, 8192, (8, 128), device="cuda"),)

    return build


def _picture(name: str, dtype: torch.dtype) -> Callable[[], Case]:
    def build() -> Case:
        import torchvision

        model = getattr(torchvision.models, name)().to("cuda", dtype).eval()
        return model, (torch.randn(8, 3, 224, 224, device="cuda", dtype=dtype),)

    return build


CASES: dict[str, Callable[[], Case]] = {
    "tiny: three ops": _of(lambda x: (x * 2 + 1).relu(), (8,)),
    "pointwise 1M f32": _of(_chain, (1024, 1024)),
    "pointwise 64M f32": _of(_chain, (8192, 8192)),
    "add 64M f32": _of(torch.add, (8192, 8192), (8192, 8192)),
    "GELU 32M f16": _of(F.gelu, (8192, 4096), dtype=HALF),
    "bias, GELU, residual 32M f16": _of(
        lambda x, b, r: F.gelu(x + b) + r, (8192, 4096), (4096,), (8192, 4096), dtype=HALF
    ),
    "LayerNorm 8192×1024 f16": _module(lambda: nn.LayerNorm(1024), (8192, 1024)),
    "softmax 8192×1024 f32": _of(lambda x: x.softmax(-1), (8192, 1024)),
    "softmax 8192×4096 f16": _of(lambda x: x.softmax(-1), (8192, 4096), dtype=HALF),
    "RMS norm 8192×4096 bf16": _module(lambda: nn.RMSNorm(4096), (8192, 4096), dtype=torch.bfloat16),
    "matmul 4096³ f16": _of(torch.mm, (4096, 4096), (4096, 4096), dtype=HALF),
    "matmul 1024³ f16": _of(torch.mm, (1024, 1024), (1024, 1024), dtype=HALF),
    "matmul 4096³ bf16": _of(torch.mm, (4096, 4096), (4096, 4096), dtype=torch.bfloat16),
    "matmul 2048³ f32": _of(torch.mm, (2048, 2048), (2048, 2048)),
    "linear + GELU 4096×1024→4096 f16": _module(
        lambda: nn.Sequential(nn.Linear(1024, 4096), nn.GELU()), (4096, 1024)
    ),
    "attention 8×16×1024×64 f16": _of(_attention, *[(8, 16, 1024, 64)] * 3, dtype=HALF),
    "masked attention 8×12×512×64 f16": _masked,
    "transformer block 8×512×512 f16": _module(_block, (8, 512, 512)),
    "BERT-base 8×128 f16": _text("Bert", "BertModel", HALF),
    "GPT-2 8×128 f16": _text("GPT2", "GPT2LMHeadModel", HALF),
    "Llama 8×128 bf16": _text(
        "Llama",
        "LlamaForCausalLM",
        torch.bfloat16,
        hidden_size=1024,
        num_hidden_layers=8,
        num_attention_heads=16,
        intermediate_size=2752,
    ),
    "conv 3×3, bias, ReLU 8×128×28² f16": _module(
        lambda: nn.Sequential(nn.Conv2d(128, 128, 3, padding=1), nn.ReLU()), (8, 128, 28, 28)
    ),
    "conv 7×7 of single channels, ReLU 8×96×56² f16": _module(
        lambda: nn.Sequential(nn.Conv2d(96, 96, 7, padding=3, groups=96), nn.ReLU()), (8, 96, 56, 56)
    ),
    "ResNet-18 8×224² f32": _picture("resnet18", torch.float32),
    "ResNet-18 8×224² f16": _picture("resnet18", HALF),
    "ResNet-50 8×224² f32": _picture("resnet50", torch.float32),
    "MobileNetV3-small 8×224² f32": _picture("mobilenet_v3_small", torch.float32),
    "EfficientNet-B0 8×224² f32": _picture("efficientnet_b0", torch.float32),
    "ConvNeXt-tiny 8×224² f16": _picture("convnext_tiny", HALF),
}


def time_calls(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the median microseconds of each call; rounds of one and the other take turns."""
    counts = {name: _warm(call) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for _ in range(counts[name]):
                call()
            end.record()
            end.synchronize()
            times[name].append(1000 * start.elapsed_time(end) / counts[name])
    return {name: statistics.median(found) for name, found in times.items()}


def _warm(call: Callable[[], Any]) -> int:
    """Call a few times; return how many calls take about ten milliseconds."""
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    call()
    torch.cuda.synchronize()
    return max(1, min(50, int(0.01 / (time.perf_counter() - begin))))


def runners(*, inductor: bool) -> dict[str, Callable[[Any], Any]]:
    """Return each way to run a function."""
    ways: dict[str, Callable[[Any], Any]] = {"eager": lambda f: f}
    if inductor:
        ways["Inductor"] = lambda f: torch.compile(f, backend="inductor")
    ways["backend eager"] = lambda f: torch.compile(f, backend="eager")
    ways["default"] = lambda f: torch.compile(f, backend="myjit_mlir")
    ways["compiled"] = lambda f: torch.compile(f, backend="myjit_mlir", options={"placement": "compiled"})
    ways["tuned"] = lambda f: torch.compile(f, backend="myjit_mlir", mode="max-autotune")
    return ways


def _values(result: Any) -> torch.Tensor:
    return (result if isinstance(result, torch.Tensor) else result[0]).float()


def _own(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with code of its own: Dynamo keeps what it compiled by code, and searches it."""
    names = {"function": function}
    exec("def run(*args):\n    return function(*args)", names)  # noqa: S102
    return names["run"]


def measure(
    build: Callable[[], Case], ways: dict[str, Callable[[Any], Any]], rounds: int
) -> tuple[dict[str, str], dict[str, float]]:
    """Return the cells of a row of the table, and the microseconds."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    function, args = build()
    cells: dict[str, str] = {}
    calls: dict[str, Callable[[], Any]] = {}
    with torch.no_grad():
        expected = _values(function(*args))
        for name, way in ways.items():
            myjit.reset()
            try:
                run = way(function if name == "eager" else _own(function))
                error = (_values(run(*args)) - expected).abs().max() / expected.abs().max()
            except Exception as failure:  # noqa: BLE001 one case that fails is a row, not the end of the table
                cells[name] = f"{type(failure).__name__}: {failure}".splitlines()[0][:60]
                continue
            parts = myjit.stats()["partitions"]
            cells[name] = (f" ({parts} parts)" if parts else "") + (
                f" error {error:.0e}" if error > 0.02 else ""
            )
            calls[name] = lambda run=run: run(*args)
        times = time_calls(calls, rounds)
    return {name: f"{times[name]:.0f}{cells[name]}" if name in times else cells[name] for name in ways}, times


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--without-inductor", action="store_true")
    parsed = parser.parse_args()
    only_fallbacks()
    ways = runners(inductor=not parsed.without_inductor)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    print(f"| | {' | '.join(ways)} | default × eager |\n|---|{'---|' * (len(ways) + 1)}", flush=True)
    for name, build in CASES.items():
        if parsed.only in name:
            cells, times = measure(build, ways, parsed.rounds)
            ours = times.get("default")
            ratio = f"{times['eager'] / ours:.2f}" if ours else ""
            print(f"| {name} | {' | '.join(cells.values())} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
