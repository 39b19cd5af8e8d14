"""Every model of the suite as a saved artifact: loaded, it gives eager's results."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.utils import _pytree as pytree

import myjit
from tests.e2e.models import MODELS


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_equals_eager(name: str, tmp_path: Path):
    model, args, kwargs = MODELS[name]()
    model.eval()
    path = myjit.export(model, args, kwargs, path=tmp_path / "model.myjit")
    results = pytree.tree_leaves(myjit.load(path)(*args, **kwargs))
    with torch.no_grad():
        expected = pytree.tree_leaves(model(*args, **kwargs))
    assert len(results) == len(expected)
    for got, want in zip(results, expected, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4)
