"""Greedy decoding with a key-value cache that the model writes in place."""

from __future__ import annotations

import torch
import transformers

import myjit

PROMPT, STEPS = 4, 6


def decode(model, forward, tokens):
    """Return the logits of each step; each step feeds the most likely token back."""
    cache = transformers.StaticCache(config=model.config, max_cache_len=16)
    position = torch.arange(PROMPT)
    found = []
    with torch.no_grad():
        for _ in range(STEPS):
            logits = forward(
                input_ids=tokens, cache_position=position, past_key_values=cache, use_cache=True
            ).logits[:, -1:]
            found.append(logits)
            tokens, position = logits.argmax(-1), position[-1:] + 1
    return torch.cat(found, 1)


def test_static_cache_decoding_equals_eager(compiled):
    config = transformers.LlamaConfig(
        vocab_size=100,
        hidden_size=64,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=128,
    )
    model = transformers.LlamaForCausalLM(config).eval()
    tokens = torch.randint(0, 100, (1, PROMPT))
    expected = decode(model, model, tokens)
    actual = decode(model, compiled(model), tokens)
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)
    stats = myjit.stats()
    assert set(stats["by_design_reasons"]) <= {"symbolic"}
    assert stats["ops_fallback"] == 0
    assert stats["recompiles"] <= 2  # the prompt, the first step, and what then holds for every step
    assert stats["bytes_copied"] == 0
