"""Edits of pipelines are checked where they are made."""

from __future__ import annotations

import pytest

from myjit.errors import SpecError
from myjit.passes.pipeline import Stage
from myjit.pipelines.cpu import PIPELINE


def test_only_stages_and_passes_are_inserted():
    with pytest.raises(SpecError, match="'cse' is neither a stage nor a pass"):
        PIPELINE.after("math", "cse")  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="stage 'mine' holds 'cse', which is no pass"):
        Stage("mine", "linalg", ("cse",))  # type: ignore[arg-type]


def test_options_keep_their_kind():
    assert "branch-around{least=8}" in PIPELINE.with_option("branch-around.least", 8).spec()
    with pytest.raises(SpecError, match=r"cannot become 'many'"):
        PIPELINE.with_option("branch-around.least", "many")
    with pytest.raises(SpecError, match=r"write branch-around\.option"):
        PIPELINE.with_option("branch-around", 1)
