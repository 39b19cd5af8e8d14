"""nn.TransformerEncoder in eval mode, whose layers torch runs as one fused op."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import myjit

PADDING = torch.tensor([[False] * 5 + [True] * 3, [False] * 8])
CAUSAL = torch.ones(8, 8, dtype=torch.bool).triu(1)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_layer(compiled, norm_first, activation):
    layer = nn.TransformerEncoderLayer(
        32, 4, 64, batch_first=True, norm_first=norm_first, activation=activation
    ).eval()
    x = torch.randn(2, 8, 32)
    with torch.no_grad():
        torch.testing.assert_close(compiled(layer)(x), layer(x), rtol=1e-4, atol=1e-5)
    assert myjit.stats()["ops_fallback"] == 0


@pytest.mark.parametrize(
    "masks",
    [
        {"src_key_padding_mask": PADDING},
        {"src_mask": CAUSAL},
        {"src_mask": CAUSAL, "src_key_padding_mask": PADDING},
    ],
    ids=["padding", "causal", "both"],
)
def test_masks(compiled, masks):
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True).eval()
    x = torch.randn(2, 8, 32)
    with torch.no_grad():
        torch.testing.assert_close(compiled(layer)(x, **masks), layer(x, **masks), rtol=1e-4, atol=1e-5)


def test_encoder(compiled):
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    x = torch.randn(2, 8, 32)
    with torch.no_grad():
        torch.testing.assert_close(compiled(encoder)(x), encoder(x), rtol=1e-4, atol=1e-5)
