"""Whole models equal eager, with nothing left to fallback."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
import torch
from torch.utils._pytree import tree_leaves

import myjit

pytestmark = pytest.mark.every_variant

_spec = importlib.util.spec_from_file_location("e2e_models", Path(__file__).with_name("models.py"))
assert _spec is not None
assert _spec.loader is not None
models = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(models)


def tensors(output: object) -> list[torch.Tensor]:
    values = dict(output) if hasattr(output, "keys") else output  # type: ignore[call-overload]
    return [t for t in tree_leaves(values) if isinstance(t, torch.Tensor)]


@pytest.mark.parametrize("name", models.MODELS)
def test_model_equals_eager(compiled, name):
    model, args, kwargs = models.MODELS[name]()
    model.eval()
    with torch.no_grad():
        expected = tensors(model(*args, **kwargs))
        actual = tensors(compiled(model)(*args, **kwargs))
    assert len(actual) == len(expected) > 0
    for got, want in zip(actual, expected, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
    stats = myjit.stats()
    assert stats["ops_compiled"] > 0
    assert set(stats["by_design_reasons"]) <= {"alias"}  # CLIP returns a matrix and its transpose
    assert stats["bytes_copied"] == stats["safer_flags"] == 0
