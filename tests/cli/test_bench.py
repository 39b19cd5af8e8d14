"""`myjit bench` with a runner whose package is missing."""

from __future__ import annotations

import pytest

from myjit import timing
from myjit.cli import main
from myjit.errors import OptionsError


def test_a_runner_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setitem(timing.RUNNERS, "absent", {"backend": "a_backend_that_nobody_wrote"})
    code = main(["bench", "torch.nn:GELU", "--input", "f32[2]", "--runner", "absent"])
    assert code == OptionsError.exit_code
    assert "'absent' is not installed" in capsys.readouterr().err
