"""What IREE, or a pass, refuses is compiled by the next pipeline of a ladder."""

from __future__ import annotations

import pytest
import torch

from myjit.errors import CodegenError
from myjit.lower import Ladder
from myjit.passes.pipeline import PIPELINES


def refusal(without: str = "") -> CodegenError:
    error = CodegenError("no")
    error.without = without
    return error


def test_what_a_pass_asks_for_is_left_out_alone():
    whole = PIPELINES.get("cpu")
    ladder = Ladder(whole)
    assert ladder.pipeline == whole
    assert ladder.climbs_down(refusal("multiply-by-panels"))
    assert ladder.pipeline == whole.without("multiply-by-panels")


def test_then_flags_are_safer_and_nothing_is_there_for_speed():
    whole = PIPELINES.get("cpu")
    ladder = Ladder(whole)
    for flags in whole.safer_flags:
        assert ladder.climbs_down(refusal("no-such-pass"))
        assert ladder.pipeline.flags == (*whole.flags, *flags)
        assert ladder.pipeline.stages == whole.plain().stages
    assert not ladder.climbs_down(refusal())


def test_what_no_pass_has_lowered_does_not_reach_iree():
    pipeline = PIPELINES.get("cpu").without("torch-to-linalg")
    options = {"pipeline": pipeline, "fallback": "error", "cache": False}
    run = torch.compile(lambda x: x * 2, backend="myjit_mlir", options=options)
    with pytest.raises(Exception, match="no pass, such as torch-to-linalg, has lowered"):
        run(torch.ones(3))
