"""`myjit opt` on what torch.compile captured gives, stage by stage, the IR that torch.compile made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

import myjit

ROOT = Path(__file__).resolve().parents[2]


def opt(*words: object) -> str:
    command = [sys.executable, "-m", "myjit", "opt", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True).stdout


def model() -> torch.nn.Module:
    layers = [torch.nn.Conv2d(2, 4, 3), torch.nn.SiLU(), torch.nn.Flatten(), torch.nn.LayerNorm(144)]
    return torch.nn.Sequential(*layers, torch.nn.Linear(144, 3), torch.nn.Softmax(-1)).eval()


@pytest.mark.parametrize("pipeline", ["cpu", "fused"])
def test_the_linalg_is_the_same(pipeline: str, compiled, tmp_path: Path):
    with torch.no_grad():
        compiled(model(), pipeline=pipeline, dump=str(tmp_path))(torch.randn(1, 2, 8, 8))
    (folder,) = tmp_path.iterdir()
    captured = folder / "00-input.mlir"
    declared = myjit.pipelines.get(pipeline)
    wanted = [stage.name for level in ("torch", "linalg") for stage in declared.level(level)]
    seen = []
    for file in sorted(folder.glob("*.mlir"))[1:]:
        number, _, stage = file.stem.partition("-")
        if stage in wanted:
            assert opt(captured, "--pipeline", pipeline, "--stop", stage) == file.read_text(), number
            seen.append(stage)
    assert seen == wanted
    assert opt(captured, "--pipeline", pipeline, "--stop", "linalg") == file_of(folder, seen[-1]).read_text()
    assert "linalg.generic" in file_of(folder, seen[-1]).read_text()


def file_of(folder: Path, stage: str) -> Path:
    (file,) = folder.glob(f"[0-9]*-{stage}.mlir")
    return file
