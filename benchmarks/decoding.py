"""One token through a Llama with a cache of keys and values of fixed size: eager, Inductor and myjit.

Run as `python -m benchmarks.decoding`. The cache is updated in place, one place further on at each call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import transformers

from myjit.timing import interleaved

#: Places of the cache, of which the first hundred are taken.
_LENGTHS = (1024, 8192)
_VOCABULARY = 2000


def _model() -> Any:
    config = transformers.LlamaConfig(
        hidden_size=512,
        intermediate_size=1376,
        num_hidden_layers=4,
        num_attention_heads=8,
        vocab_size=_VOCABULARY,
        max_position_embeddings=max(_LENGTHS),
    )
    return transformers.LlamaForCausalLM(config).eval()


def _decoder(model: Any, run: Callable[..., Any], length: int) -> Callable[[], torch.Tensor]:
    """Return a call that decodes a token, with a cache of its own that has been filled by the model."""
    cache = transformers.StaticCache(config=model.config, max_cache_len=length)
    tokens = torch.arange(100)
    model(input_ids=tokens[None], past_key_values=cache, cache_position=tokens)
    token, place = torch.tensor([[5]]), torch.tensor([100])
    return lambda: run(input_ids=token, past_key_values=cache, cache_position=place).logits


@torch.no_grad()
def main() -> None:
    """Print medians and minima of a call in turn, in ms, and how many times as long the others take."""
    model = _model()
    for length in _LENGTHS:
        torch._dynamo.reset()
        ways = {
            "eager": model,
            "inductor": torch.compile(model, backend="inductor"),
            "myjit": torch.compile(model, backend="myjit_mlir"),
        }
        calls = {way: _decoder(model, run, length) for way, run in ways.items()}
        first = {way: call() for way, call in calls.items()}  # each call takes the next place
        for logits in first.values():
            torch.testing.assert_close(logits, first["eager"])
        times = interleaved(calls)
        shown = (f"{way} {t.median / 1e3:.2f} ({t.least / 1e3:.2f})" for way, t in times.items())
        ratios = (times[way].median / times["myjit"].median for way in ("eager", "inductor"))
        print(f"{length} places  {'  '.join(shown)}  |  {' '.join(f'{r:.2f}' for r in ratios)} ×", flush=True)


if __name__ == "__main__":
    main()
