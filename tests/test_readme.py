"""The README's tutorial works as it stands: its files are written, its commands run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_write_a_pass_in_five_minutes(tmp_path: Path):
    readme = (ROOT / "README.md").read_text()
    section = readme.split("## Write a pass in five minutes", 1)[1].split("\n## ", 1)[0]
    commands = []
    for language, name, text in BLOCK.findall(section):
        if name:
            (tmp_path / name).write_text(text)
        elif language == "sh":
            commands.append(text)
    assert len(commands) == 2

    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(commands)],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "arith.mulf %arg0, %cst" in done.stdout
    assert re.search(r"^-.*arith\.divf", done.stdout, re.MULTILINE)
    assert re.search(r"^\+.*arith\.mulf", done.stdout, re.MULTILINE)


PREPARE = """
import numpy, torch, safetensors.torch
numpy.save("x.npy", numpy.ones((5, 4), numpy.float32))
weights = {name: value.clone() for name, value in model.state_dict().items()}
safetensors.torch.save_file(weights, "finetuned.safetensors")
x = numpy.load("x.npy")
"""
COMPARE = """
with torch.no_grad():
    numpy.testing.assert_allclose(y, model(torch.from_numpy(x)).numpy(), rtol=1e-5, atol=1e-6)
numpy.testing.assert_array_equal(y, numpy.load("y.npy"))
"""


def test_save_a_model_run_it_without_torch(tmp_path: Path):
    """The first block saves, the second runs the commands, the third calls from Python."""
    readme = (ROOT / "README.md").read_text()
    section = readme.split("## Save a model, run it without torch", 1)[1].split("\n## ", 1)[0]
    (_, _, saves), (_, _, commands), (_, _, calls) = BLOCK.findall(section)
    shell = f"import subprocess\nsubprocess.run(['bash', '-euc', {commands!r}], check=True)\n"
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([saves, PREPARE, shell, calls, COMPARE])],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def environment(folder: Path) -> dict[str, str]:
    """Return an environment whose `python`, `myjit` and `filecheck` are those of this checkout."""
    tools = folder / "tools"
    tools.mkdir()
    for name, words in (("myjit", "-m myjit"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (tools / name).chmod(0o755)
    path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
