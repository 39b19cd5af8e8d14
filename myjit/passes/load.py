"""Find the pipeline that a user names: a name, a `Pipeline`, or a TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from myjit.errors import OptionsError, RegistryError, SpecError
from myjit.passes.check import PassSpecError, check_pipeline
from myjit.passes.pipeline import PIPELINES, Pipeline
from myjit.passes.pipeline_toml import from_toml, locate


def load_pipeline(given: Any) -> Pipeline:
    """Return the pipeline, checked unless it is one of the registered ones.

    Raises:
        RegistryError: no pipeline of that name, or a graph pass that does not exist.
        SpecError: the file cannot be read, or a pass does not exist; names file and line.
        OptionsError: it is no name, no path and no pipeline.
    """
    if isinstance(given, Pipeline):
        check_pipeline(given)
        return given
    if isinstance(given, Path) or (isinstance(given, str) and given.endswith(".toml")):
        return load_toml(Path(given))
    if isinstance(given, str):
        return _registered(given)
    raise OptionsError(f"a pipeline is a name, a Pipeline or the path of a TOML file, not {given!r}")


def load_toml(path: Path) -> Pipeline:
    """Read and check a pipeline's TOML file.

    Raises:
        SpecError: naming the line, what is wrong, and the nearest right name.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"cannot read the pipeline {path}: {error}") from error
    pipeline = from_toml(text, str(path))
    try:
        check_pipeline(pipeline)
    except PassSpecError as error:
        line = locate(text, error.stage_index, error.text)
        raise SpecError(f"{path}:{line}: {error}") from error
    return pipeline


def _registered(name: str) -> Pipeline:
    pipeline = PIPELINES.get(name)
    if not isinstance(pipeline, Pipeline):
        raise RegistryError(f"pipeline {name!r} is registered as {type(pipeline).__name__}, not a Pipeline")
    return pipeline
