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


def environment(folder: Path) -> dict[str, str]:
    """Return an environment whose `python`, `myjit` and `filecheck` are those of this checkout."""
    tools = folder / "tools"
    tools.mkdir()
    for name, words in (("myjit", "-m myjit"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (tools / name).chmod(0o755)
    path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
