"""`options={"pipeline": …}` takes a name, a value or a file, and checks it before anything compiles."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed

import myjit
from myjit.errors import OptionsError, RegistryError, SpecError
from myjit.passes.base import NativePass
from myjit.passes.load import load_pipeline
from myjit.passes.pipeline_toml import to_toml


def test_a_toml_file_is_used(tmp_path: Path, compiled):
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(myjit.pipelines.get("cpu").after("torch-to-linalg", NativePass("cse"))))
    x = torch.randn(4)
    torch.testing.assert_close(compiled(torch.sin, pipeline=str(path))(x), x.sin())


def test_an_unknown_pass_raises_before_compiling(compiled):
    pipeline = myjit.pipelines.get("cpu").after("torch-to-linalg", NativePass("csee"))
    with pytest.raises(BackendCompilerFailed, match=r"no pass called 'csee'\. Did you mean 'cse'"):
        compiled(torch.sin, pipeline=pipeline)(torch.randn(4))


def test_a_file_names_the_line_of_an_unknown_pass(tmp_path: Path):
    path = tmp_path / "mine.toml"
    text = to_toml(myjit.pipelines.get("cpu")).replace("convert-torch-to-scf", "convert-torch-to-sfc")
    path.write_text(text)
    line = next(n for n, t in enumerate(text.splitlines(), 1) if "to-sfc" in t)
    with pytest.raises(SpecError, match=f"mine.toml:{line}: .*Did you mean 'convert-torch-to-scf'"):
        load_pipeline(path)


@pytest.mark.parametrize(
    ("given", "error"), [("cqu", RegistryError), ("none.toml", SpecError), (3, OptionsError)]
)
def test_what_is_no_pipeline_raises(given: object, error: type):
    with pytest.raises(error):
        load_pipeline(given)
