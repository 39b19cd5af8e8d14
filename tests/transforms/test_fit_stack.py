"""Rows that several loops read fit on the stack, however wide they are."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import myjit
from myjit.passes.pipeline import PIPELINES


class Embedded(nn.Module):
    """The beginning of a transformer in training."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(50, width), nn.Embedding(64, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        places = torch.arange(words.shape[1])[None]
        return self.norm(F.dropout(self.words(words) + self.places(places), 0.1))


def outcome(run, model, words):
    torch.manual_seed(1)
    result = run(words)
    return [result, *torch.autograd.grad(result.square().sum(), list(model.parameters()))]


@pytest.mark.parametrize("width", [768, 4096])
def test_wide_embeddings(width, compiled):
    model, words = Embedded(width), torch.randint(0, 50, (2, 64))
    before = myjit.stats()["safer_flags"]
    found = outcome(compiled(model), model, words)
    torch.testing.assert_close(found, outcome(model, model, words), atol=1e-3, rtol=1e-4)
    assert myjit.stats()["safer_flags"] == before


def test_one_row_at_a_time(compiled, tmp_path):
    model, words = Embedded(768), torch.randint(0, 50, (2, 64))
    pipelines = {"with": "cpu", "without": PIPELINES.get("cpu").without("fit-stack")}
    for name, pipeline in pipelines.items():
        with torch.no_grad():
            compiled(model, dump=str(tmp_path / name), pipeline=pipeline)(words)
        (after,) = tmp_path.glob(f"{name}/*/*-tiles.mlir")
        assert ("vector_common_parallel = [1, 8, 0]" in after.read_text()) == (name == "without")
