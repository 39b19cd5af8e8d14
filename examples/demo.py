"""Compile a transformer and a convolutional network; print error, coverage, compile time, latency."""

from __future__ import annotations

import time
import warnings
from typing import Any

import torch

import myjit
from myjit.timing import interleaved

ROUNDS = 10


def transformer() -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    """A four-layer BERT with random weights, batch 1, 128 tokens."""
    from transformers import BertConfig, BertModel

    config = BertConfig(hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024)
    return BertModel(config), (torch.randint(0, config.vocab_size, (1, 128)),)


def convolutional() -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    """A ResNet-18 with random weights, one 224 by 224 picture."""
    import timm

    return timm.create_model("resnet18"), (torch.randn(1, 3, 224, 224),)


def flatten(value: Any) -> list[torch.Tensor]:
    """List the tensors in a model's output."""
    leaves = torch.utils._pytree.tree_leaves(value)
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def show(name: str, model: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
    """Compile one model and print what happened."""
    model = model.eval()
    expected = flatten(model(*inputs))
    report = myjit.explain(model, *inputs, show=False)
    breaks = torch._dynamo.explain(model)(*inputs).graph_break_count
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="myjit_mlir")
    inductor = torch.compile(model)
    start = time.perf_counter()
    actual = flatten(compiled(*inputs))
    seconds = time.perf_counter() - start
    error = max((a - e).abs().max().item() for a, e in zip(actual, expected, strict=True))
    inductor(*inputs)
    calls = {"eager": model, "inductor": inductor, "myjit": compiled}
    table = interleaved({n: (lambda f=f: f(*inputs)) for n, f in calls.items()}, rounds=ROUNDS)
    print(f"\n{name}")
    print(f"  largest error against eager   {error:.2e}")
    print(f"  ops compiled                  {report.ops_compiled} ({100 * report.coverage:.1f} %)")
    faster = sum(r.reason.name == "FASTER" for graph in report.graphs for r in graph.rejections)
    print(f"  in torch, being faster there  {faster}")
    print(f"  graph breaks                  {breaks}")
    print(f"  compile time                  {seconds:.1f} s")
    for backend, timing in table.items():
        print(f"  {backend:<9} median {timing.median / 1e3:8.2f} ms   minimum {timing.least / 1e3:8.2f} ms")


def main() -> None:
    """Run both models."""
    warnings.simplefilter("default", myjit.errors.FallbackWarning)
    torch.manual_seed(0)
    with torch.no_grad():
        show("BERT (4 layers, 256 wide, 128 tokens)", *transformer())
        show("ResNet-18 (224 × 224)", *convolutional())


if __name__ == "__main__":
    main()
