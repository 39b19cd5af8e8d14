"""Transformers compiled once for any batch and length equal eager at sizes they were not captured at."""

from __future__ import annotations

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest
import torch

import myjit

transformers = pytest.importorskip("transformers", reason="the models come from transformers")

SMALL = {
    "vocab_size": 50,
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
}


def bert():
    return transformers.BertModel(transformers.BertConfig(**SMALL))


def gpt2():
    return transformers.GPT2Model(transformers.GPT2Config(vocab_size=50, n_embd=16, n_layer=1, n_head=2))


def llama():
    return transformers.LlamaModel(transformers.LlamaConfig(**SMALL, num_key_value_heads=1))


@pytest.mark.parametrize("build", [bert, gpt2, llama])
def test_batch_and_length(compiled, build):
    model = build().eval()

    def function(tokens):
        return model(tokens, use_cache=False).last_hidden_state

    run = compiled(function, dynamic=True)
    with torch.no_grad():
        for sizes in ((3, 5), (2, 9), (4, 7)):
            tokens = torch.randint(0, 50, sizes)
            torch.testing.assert_close(run(tokens), function(tokens), rtol=1e-4, atol=1e-4)
    assert myjit.stats()["recompiles"] == 0


def test_batch_of_images(compiled):
    config = transformers.ViTConfig(
        **{k: v for k, v in SMALL.items() if k != "vocab_size"}, image_size=16, patch_size=8
    )
    model = transformers.ViTModel(config).eval()

    def function(images):
        return model(images).last_hidden_state

    run = compiled(function, dynamic=True)
    with torch.no_grad():
        for batch in (2, 3, 5):
            images = torch.randn(batch, 3, 16, 16)
            torch.testing.assert_close(run(images), function(images), rtol=1e-4, atol=1e-4)
    assert myjit.stats()["recompiles"] == 0
