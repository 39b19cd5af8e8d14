"""torch.compiler.save_cache_artifacts carries our cache entries to another cache."""

from __future__ import annotations

import torch
from torch.compiler._cache import CacheArtifactManager

import myjit
from myjit.cache_artifacts import MyjitCacheArtifact


def test_saved_artifacts_fill_an_empty_cache(compiled, monkeypatch, tmp_path):
    x = torch.randn(4)
    with CacheArtifactManager.with_fresh_cache():
        compiled(torch.sin)(x)
        saved = torch.compiler.save_cache_artifacts()
    assert saved is not None
    assert len(saved[1].artifacts["myjit"]) == 2  # the part, and its code
    monkeypatch.setenv("MYJIT_CACHE_DIR", str(tmp_path / "elsewhere"))
    torch.compiler.load_cache_artifacts(saved[0])
    torch._dynamo.reset()
    myjit.reset()
    torch.testing.assert_close(compiled(torch.sin)(x), x.sin())
    counted = myjit.stats()
    assert (counted["cache_hits"], counted["cache_misses"]) == (1, 0)


def test_a_damaged_artifact_is_left_out(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("MYJIT_CACHE_DIR", str(tmp_path))
    MyjitCacheArtifact("key", b"nonsense").populate_cache()
    assert "is left out" in caplog.text
    assert not list(tmp_path.iterdir())
