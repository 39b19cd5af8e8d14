"""What the pipeline `fused` finds in well-known models: how many of each operation, and eager's answer.

Run as `python -m benchmarks.raised`. The models are small and random; their code is that of the
transformers library, with attention by `scaled_dot_product_attention` and written out ("eager").
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from torch.utils._pytree import tree_leaves

#: Layers of each model (T5: of the encoder, and of the decoder).
LAYERS = 2

_SMALL: dict[str, Any] = {
    "vocab_size": 100,
    "hidden_size": 32,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}

Model = Callable[[], tuple[Any, dict[str, torch.Tensor]]]


@dataclass(frozen=True)
class Found:
    """The operations found in one model, and the largest difference from eager's result."""

    operations: Counter[str]
    difference: float


def _tokens() -> torch.Tensor:
    return torch.randint(3, 100, (2, 12))


def _bert() -> tuple[Any, dict[str, torch.Tensor]]:
    mask = torch.tensor([[1] * 12, [1] * 7 + [0] * 5])
    model = transformers.BertModel(transformers.BertConfig(**_SMALL))
    return model, {"input_ids": _tokens(), "attention_mask": mask}


def _gpt2() -> tuple[Any, dict[str, torch.Tensor]]:
    tokens: dict[str, Any] = {"bos_token_id": 1, "eos_token_id": 2}
    config = transformers.GPT2Config(vocab_size=100, n_embd=32, n_layer=LAYERS, n_head=4, **tokens)
    return transformers.GPT2Model(config), {"input_ids": _tokens()}


def _llama() -> tuple[Any, dict[str, torch.Tensor]]:
    config = transformers.LlamaConfig(**_SMALL, num_key_value_heads=2)
    return transformers.LlamaModel(config), {"input_ids": _tokens()}


def _t5() -> tuple[Any, dict[str, torch.Tensor]]:
    heads: dict[str, Any] = {"num_layers": LAYERS, "num_heads": 4, "d_kv": 8}
    kind = "gated-gelu"  # as in T5 1.1 and Flan-T5
    config = transformers.T5Config(vocab_size=100, d_model=32, d_ff=64, feed_forward_proj=kind, **heads)
    return transformers.T5Model(config), {"input_ids": _tokens(), "decoder_input_ids": _tokens()}


def _vit() -> tuple[Any, dict[str, torch.Tensor]]:
    layers = {k: v for k, v in _SMALL.items() if k != "vocab_size"}
    model = transformers.ViTModel(transformers.ViTConfig(**layers, image_size=32, patch_size=8))
    return model, {"pixel_values": torch.randn(2, 3, 32, 32)}


MODELS: dict[str, Model] = {"BERT": _bert, "GPT-2": _gpt2, "Llama": _llama, "T5": _t5, "ViT": _vit}

OPERATIONS = (
    *("attention", "masked_attention", "softmax", "safe_softmax", "layer_norm", "rms_norm"),
    *("gelu", "silu", "rope"),
)


def find(name: str, attention: str) -> Found:
    """Compile a model with the pipeline `fused`; nothing may be left to torch."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    model, inputs = MODELS[name]()
    model.set_attn_implementation(attention)
    model.eval()
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        options: dict[str, Any] = {"pipeline": "fused", "fallback": "error", "dump": folder}
        wanted = _tensors(model(**inputs, **_without_cache(name)))
        compiled = torch.compile(model, backend="myjit_mlir", options=options)
        got = _tensors(compiled(**inputs, **_without_cache(name)))
        raised = [path.read_text() for path in Path(folder).glob("*/*-raise.mlir")]
    operations = Counter(found for text in raised for found in re.findall(r'"fused\.(\w+)"', text))
    return Found(operations, max(float((g - w).abs().max()) for g, w in zip(got, wanted, strict=True)))


def _without_cache(name: str) -> dict[str, bool]:
    return {} if name in ("BERT", "ViT") else {"use_cache": False}


def _tensors(output: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(dict(output)) if isinstance(leaf, torch.Tensor)]


def main() -> None:
    """Print the table."""
    print(f"| model, {LAYERS} layers | attention is | {' | '.join(OPERATIONS)} | max. difference |")
    print(f"|---|---|{'---|' * len(OPERATIONS)}---|")
    for name in MODELS:
        for attention in ("sdpa", "eager"):
            found = find(name, attention)
            counts = " | ".join(str(found.operations[o] or "") for o in OPERATIONS)
            print(f"| {name} | {attention} | {counts} | {found.difference:.1e} |")


if __name__ == "__main__":
    main()
