"""`myjit opt` starts fast: it never imports torch, whatever it runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = """
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  %0 = torch.aten.relu %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
"""


def packages(*words: str) -> set[str]:
    """Run `myjit opt` in a process of its own; return the packages that it imported."""
    code = f"import sys; from myjit.cli import main; code = main({['opt', *words]!r}); "
    code += "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr); sys.exit(code)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("pipeline", ["cpu", "debug", "fused"])
def test_a_whole_pipeline_runs_without_torch(pipeline: str, tmp_path: Path):
    (tmp_path / "in.mlir").write_text(SOURCE)
    assert "torch" not in packages(str(tmp_path / "in.mlir"), "--pipeline", pipeline)


def test_it_starts_with_the_bindings_and_nothing_else_that_is_large(tmp_path: Path):
    (tmp_path / "in.mlir").write_text(SOURCE)
    large = {"torch", "iree", "sympy", "safetensors", "transformers", "concurrent", "multiprocessing"}
    assert not packages(str(tmp_path / "in.mlir")) & large
