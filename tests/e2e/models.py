"""Real architectures with random weights, small enough for two cores: name to (model, args, kwargs)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import timm
import torch
import transformers
from torch import nn

Case = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]

_SMALL: dict[str, Any] = {
    "vocab_size": 1000,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 128,
}


class UNet(nn.Module):
    """Two levels down and up, with batch and group normalisation, both kinds of upsampling."""

    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2, self.middle = self._block(3, 8), self._block(8, 16), self._block(16, 32)
        self.up2, self.join2 = nn.ConvTranspose2d(32, 16, 2, 2), self._block(32, 16)
        self.up1, self.join1 = nn.Upsample(scale_factor=2, mode="bilinear"), self._block(24, 8)
        self.pool, self.head = nn.MaxPool2d(2), nn.Conv2d(8, 2, 1)

    @staticmethod
    def _block(inputs: int, outputs: int) -> nn.Sequential:
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, padding=1),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1),
            nn.GroupNorm(4, outputs),
            nn.SiLU(),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = self.down1(x)
        second = self.down2(self.pool(first))
        y = self.join2(torch.cat([self.up2(self.middle(self.pool(second))), second], 1))
        return self.head(self.join1(torch.cat([self.up1(y), first], 1)))


def _tokens(batch: int = 2, length: int = 16) -> torch.Tensor:
    return torch.randint(3, 1000, (batch, length))


def _picture(name: str, size: int) -> Callable[[], Case]:
    return lambda: (timm.create_model(name), (torch.randn(1, 3, size, size),), {})


def _bert() -> Case:
    mask = torch.tensor([[1] * 16, [1] * 10 + [0] * 6])
    model = transformers.BertModel(transformers.BertConfig(**_SMALL))
    return model, (_tokens(),), {"attention_mask": mask}


def _gpt2() -> Case:
    config = transformers.GPT2Config(
        vocab_size=1000, n_embd=64, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2
    )
    return transformers.GPT2LMHeadModel(config), (_tokens(),), {"use_cache": False}


def llama() -> nn.Module:
    """A two-layer Llama with grouped-query attention."""
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**_SMALL, num_key_value_heads=2))


def _qwen() -> Case:
    config = transformers.Qwen2Config(**_SMALL, num_key_value_heads=2)
    return transformers.Qwen2ForCausalLM(config), (_tokens(),), {"use_cache": False}


def _t5() -> Case:
    config = transformers.T5Config(vocab_size=1000, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4)
    inputs = {"input_ids": _tokens(), "decoder_input_ids": _tokens(), "use_cache": False}
    return transformers.T5ForConditionalGeneration(config), (), inputs


def _whisper() -> Case:
    config = transformers.WhisperConfig(
        vocab_size=1000,
        d_model=64,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=128,
        decoder_ffn_dim=128,
        max_source_positions=50,
        max_target_positions=32,
        num_mel_bins=20,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
    )
    sound = torch.randn(1, 20, 100)
    inputs = {"input_features": sound, "decoder_input_ids": _tokens(1, 8), "use_cache": False}
    return transformers.WhisperModel(config), (), inputs


def _clip() -> Case:
    layers = {k: v for k, v in _SMALL.items() if k != "vocab_size"}
    config = transformers.CLIPConfig(
        text_config={**_SMALL, "bos_token_id": 1, "eos_token_id": 2},
        vision_config={**layers, "image_size": 32, "patch_size": 8},
    )
    inputs = {"input_ids": _tokens(), "pixel_values": torch.randn(2, 3, 32, 32)}
    return transformers.CLIPModel(config), (), inputs


MODELS: dict[str, Callable[[], Case]] = {
    "resnet18": _picture("resnet18", 64),
    "mobilenetv3-small": _picture("mobilenetv3_small_100", 64),
    "vit-tiny": _picture("vit_tiny_patch16_224", 224),
    "convnext-atto": _picture("convnext_atto", 64),
    "bert": _bert,
    "gpt2": _gpt2,
    "llama": lambda: (llama(), (_tokens(),), {"use_cache": False}),
    "qwen": _qwen,
    "t5": _t5,
    "whisper-tiny": _whisper,
    "clip": _clip,
    "lstm": lambda: (nn.LSTM(8, 16, 2, batch_first=True), (torch.randn(2, 5, 8),), {}),
    "gru": lambda: (nn.GRU(8, 16, 2, bidirectional=True), (torch.randn(5, 2, 8),), {}),
    "unet": lambda: (UNet(), (torch.randn(1, 3, 32, 32),), {}),
}
