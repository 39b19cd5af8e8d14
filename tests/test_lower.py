"""What IREE, or a pass, refuses is compiled by the next pipeline of a ladder."""

from __future__ import annotations

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
