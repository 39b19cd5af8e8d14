"""What the suites measure: name to (callable, arguments), built with random weights."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

from benchmarks.ops import OPS, Case, of


def _linear(rows: int, inputs: int, outputs: int) -> Callable[[], Case]:
    return lambda: (nn.Linear(inputs, outputs), (torch.randn(rows, inputs),))


def _mlp(batch: int) -> Callable[[], Case]:
    layers = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 256), nn.LayerNorm(256))
    return lambda: (layers, (torch.randn(batch, 256),))


def _convolution(inputs: int, outputs: int, size: int, kernel: int, **options: int) -> Callable[[], Case]:
    layer = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, **options)
    return lambda: (layer, (torch.randn(1, inputs, size, size),))


MICRO: dict[str, Callable[[], Case]] = {
    "matmul 512³": of(torch.mm, (512, 512), (512, 512)),
    "matmul 128×768×768 + ReLU": of(lambda a, b: torch.relu(a @ b), (128, 768), (768, 768)),
    "batched matmul 12×128×64×128": of(torch.bmm, (12, 128, 64), (12, 64, 128)),
    "linear 1×768×768": _linear(1, 768, 768),
    "linear 128×768×768": _linear(128, 768, 768),
    "MLP, batch 1": _mlp(1),
    "MLP, batch 8": _mlp(8),
    "MLP, batch 128": _mlp(128),
    "attention 8×128×64": of(lambda q: F.scaled_dot_product_attention(q, q, q), (1, 8, 128, 64)),
    "LayerNorm 1024²": lambda: (nn.LayerNorm(1024), (torch.randn(1024, 1024),)),
    "RMSNorm 1024²": lambda: (nn.RMSNorm(1024), (torch.randn(1024, 1024),)),
    "softmax 1024²": of(lambda x: x.softmax(-1), (1024, 1024)),
    "softmax 3×197×197": of(lambda x: x.softmax(-1), (3, 197, 197)),
    "pointwise 1M": of(lambda x: torch.sigmoid(x) * torch.cos(x) + torch.exp(-x * x).tanh(), (1024, 1024)),
    "GELU 1M": of(F.gelu, (1024, 1024)),
    "sum of rows": of(lambda x: x.sum(-1), (1024, 1024)),
    "sum of columns": of(lambda x: x.sum(0), (1024, 1024)),
    "transpose + add": of(lambda x: x.t() + 1, (1024, 1024)),
    "conv 3×3, 64 ch, 56²": _convolution(64, 64, 56, 3),
    "conv 1×1, 64→256, 56²": _convolution(64, 256, 56, 1),
    "conv 3×3 stride 2": _convolution(64, 128, 56, 3, stride=2),
    "conv depthwise, 96 ch": _convolution(96, 96, 28, 3, groups=96),
    "embedding 128 of 32000×256": lambda: (nn.Embedding(32000, 256), (torch.randint(0, 32000, (1, 128)),)),
    "cross-entropy 128×1000": lambda: (
        F.cross_entropy,
        (torch.randn(128, 1000), torch.randint(0, 1000, (128,))),
    ),
}


def _picture(name: str) -> Callable[[], Case]:
    def build() -> Case:
        import timm

        return timm.create_model(name).eval(), (torch.randn(1, 3, 224, 224),)

    return build


def _text(kind: str, **sizes: int) -> Callable[[], Case]:
    def build() -> Case:
        import transformers

        config = getattr(transformers, f"{kind}Config")(vocab_size=1000, **sizes)
        names = {"GPT2": "GPT2LMHeadModel", "Llama": "LlamaForCausalLM", "Bert": "BertModel"}
        model = getattr(transformers, names[kind])(config).eval()
        model.config.use_cache = False
        return model, (torch.randint(3, 1000, (1, 128)),)

    return build


_SIZES = {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 1024}

MODELS: dict[str, Callable[[], Case]] = {
    "ResNet-18, 224²": _picture("resnet18"),
    "ResNet-50, 224²": _picture("resnet50"),
    "MobileNetV3-small, 224²": _picture("mobilenetv3_small_100"),
    "ViT-tiny, 224²": _picture("vit_tiny_patch16_224"),
    "ConvNeXt-atto, 224²": _picture("convnext_atto"),
    "BERT 4×256, 128 tokens": _text("Bert", **_SIZES),
    "GPT-2 4×256, 128 tokens": _text("GPT2", n_embd=256, n_layer=4, n_head=4, bos_token_id=1, eos_token_id=2),
    "Llama 4×256, 128 tokens": _text("Llama", **_SIZES, num_key_value_heads=2),
}


def _in_bfloat16(build: Callable[[], Case]) -> Callable[[], Case]:
    def rebuild() -> Case:
        model, arguments = build()
        cast = (a.bfloat16() if a.is_floating_point() else a for a in arguments)
        return model.bfloat16(), tuple(cast)

    return rebuild


def _to_train(build: Callable[[], Case]) -> Callable[[], Case]:
    """Put a model into training mode, without dropout: results are compared."""

    def rebuild() -> Case:
        model, arguments = build()
        for module in model.train().modules():
            for name, value in vars(module).items():
                if isinstance(value, float) and ("drop" in name or isinstance(module, nn.Dropout)):
                    setattr(module, name, 0.0)
        return model, arguments

    return rebuild


SUITES: dict[str, dict[str, Callable[[], Case]]] = {
    "micro": MICRO,
    "ops": OPS,
    "models": MODELS,
    "bfloat16": {name: _in_bfloat16(build) for name, build in MODELS.items()},
    "training": {name: _to_train(build) for name, build in MODELS.items()},
}
