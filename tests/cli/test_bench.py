"""`myjit bench` with what cannot be measured: a line that says why, and an exit code."""

from __future__ import annotations

import subprocess
import sys

import pytest

from myjit import timing
from myjit.cli import main
from myjit.errors import OptionsError


def test_a_runner_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setitem(timing.RUNNERS, "absent", {"backend": "a_backend_that_nobody_wrote"})
    code = main(["bench", "torch.nn:GELU", "--input", "f32[2]", "--runner", "absent"])
    assert code == OptionsError.exit_code
    assert "'absent' is not installed" in capsys.readouterr().err


MODELS = """
import torch
def raises(x): raise KeyError("inside")
def number(x): return x.argmax()
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["broken:x"], "cannot import 'broken': ValueError: first"),
        (["unreadable:x"], "cannot import 'unreadable': SyntaxError"),
        (["leaves:x"], "cannot import 'leaves': SystemExit"),
        ([":"], "neither MODULE:NAME"),
        ([".relative:x"], "neither MODULE:NAME"),
        (["models:raises", "--input", "f32[2]"], "models:raises fails on these inputs: KeyError: 'inside'"),
        (["models:number", "--input", "f32[2]", "--train"], "nothing to train"),
        (["torch.nn:GELU", "--input", "f32[2,b]"], "numbers for sizes, not b"),
        (["torch.nn:GELU", "--input", "f32[999999999999999]"], "cannot make the input"),
        (["torch.nn:GELU", "--input", "f32[99999999999999999999]"], "cannot make the input"),
        (["torch.nn:GELU", "--input", "f32[²]"], "cannot read the size"),
    ],
)
def test_the_users_mistakes(arguments, said, tmp_path, monkeypatch, capsys):
    files = {"models": MODELS, "broken": "raise ValueError('first\\nsecond')", "unreadable": "def f(:"}
    for name, text in {**files, "leaves": "raise SystemExit(3)"}.items():
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["bench", *arguments]) == OptionsError.exit_code
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_streams(closed):
    command = f"{sys.executable} -m myjit passes {closed} && {sys.executable} -m myjit doctor {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
