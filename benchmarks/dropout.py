"""Steps of training with dropout, and dropout alone: eager, Inductor, myjit with its kernel and without.

Run as `python -m benchmarks.dropout`. Two layers of GPT-2 and BERT at their own width, 4×128 tokens, in
float32 and under autocast to bfloat16. Inductor draws other numbers, so losses are not compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import transformers

import myjit
from myjit.timing import interleaved

_VOCABULARY = 5000
_TOKENS: dict[str, Any] = {"bos_token_id": 1, "eos_token_id": 2}


def _gpt2() -> torch.nn.Module:
    config = transformers.GPT2Config(n_layer=2, vocab_size=_VOCABULARY, **_TOKENS)
    return transformers.GPT2LMHeadModel(config)


def _bert() -> torch.nn.Module:
    return transformers.BertForMaskedLM(transformers.BertConfig(num_hidden_layers=2, vocab_size=_VOCABULARY))


def _stepper(model: torch.nn.Module, run: Callable[..., Any], *, halves: bool) -> Callable[[], None]:
    tokens = torch.randint(0, _VOCABULARY, (4, 128))

    def step() -> None:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=halves):
            loss = run(input_ids=tokens, labels=tokens).loss
        model.zero_grad()
        loss.backward()

    return step


def _ways(function: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    without = myjit.pipelines.get("cpu").without("draw-masks")
    return {
        "eager": function,
        "inductor": torch.compile(function, backend="inductor"),
        "torch's masks": torch.compile(function, backend="myjit_mlir", options={"pipeline": without}),
        "myjit": torch.compile(function, backend="myjit_mlir"),
    }


def _print(name: str, calls: dict[str, Callable[[], Any]]) -> None:
    for call in calls.values():
        call()
        call()
    times = interleaved(calls, rounds=9)
    shown = (f"{way} {t.median / 1e3:.2f} ({t.least / 1e3:.2f})" for way, t in times.items())
    ratios = (times[way].median / times["myjit"].median for way in ("eager", "inductor", "torch's masks"))
    print(f"{name:30} {'  '.join(shown)}  |  {' '.join(f'{r:.2f}' for r in ratios)} ×", flush=True)


def main() -> None:
    """Print medians and minima of a call in turn, in ms, and how many times as long the others take."""
    x = torch.randn(8, 128, 768)
    ways = _ways(lambda x: torch.nn.functional.dropout(x, 0.1))
    _print("dropout of 8×128×768", {way: lambda run=run: run(x) for way, run in ways.items()})
    for name, build in (("GPT-2", _gpt2), ("BERT", _bert)):
        for halves in (False, True):
            torch._dynamo.reset()
            model = build().train()
            steps = {w: _stepper(model, run, halves=halves) for w, run in _ways(model).items()}
            _print(f"{name}, {'autocast' if halves else 'float32'}", steps)


if __name__ == "__main__":
    main()
