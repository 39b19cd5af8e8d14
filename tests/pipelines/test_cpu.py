"""The CPU pipeline is a value: readable, editable, and its edits are new values."""

from __future__ import annotations

import pytest

from myjit.errors import RegistryError
from myjit.passes.base import NativePass
from myjit.pipelines.cpu import PIPELINE


def test_the_spec_lists_every_stage_and_flag():
    spec = PIPELINE.spec()
    assert "torch torch-to-linalg: " in spec
    assert "convert-torch-to-linalg" in spec
    assert "--iree-input-demote-f64-to-f32=false" in spec


def test_edits_make_new_pipelines_with_new_fingerprints():
    edited = PIPELINE.after("torch-backend", NativePass("cse"))
    names = [s.name for s in edited.stages]
    assert names[names.index("torch-backend") + 1] == "cse"
    assert edited.fingerprint() != PIPELINE.fingerprint()
    assert edited.without("cse") == PIPELINE


def test_an_unknown_stage_names_the_nearest_one():
    with pytest.raises(RegistryError, match="Did you mean 'torch-backend'"):
        PIPELINE.before("torch-backnd", NativePass("cse"))
