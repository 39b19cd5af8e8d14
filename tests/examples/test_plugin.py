"""The example package, installed with pip: its dialect, passes and pipeline are there by name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
T = "!torch.vtensor<[4],f32>"
SOURCE = f"""
func.func @f(%a: {T}, %b: {T}) -> {T} {{
  %0 = torch.aten.mul.Tensor %a, %a : {T}, {T} -> {T}
  %1 = torch.aten.mul.Tensor %0, %b : {T}, {T} -> {T}
  return %1 : {T}
}}"""
SCRIPT = """
import torch
f = torch.compile(lambda x: x * x + 1, backend="myjit_mlir",
                  options={"pipeline": "example-cpu", "fallback": "error"})
x = torch.randn(5)
torch.testing.assert_close(f(x), x * x + 1)
print("fine")
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Install the package into a folder; return the environment that sees it."""
    source = tmp_path_factory.mktemp("source") / "plugin"
    shutil.copytree(ROOT / "examples" / "plugin", source)  # pip builds inside of the folder
    target = tmp_path_factory.mktemp("site")
    flags = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "pip", "install", *flags, str(source)], check=True, timeout=300)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(target), str(ROOT)])}


def myjit(environment: dict[str, str], *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "myjit", *words],
        env=environment, input=text, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT,
    )  # fmt: skip


def test_its_passes_raise_and_lower_its_operation(installed: dict[str, str]):
    raised = myjit(installed, "opt", "--passes", "raise-square", text=SOURCE)
    assert raised.stdout.count('"example.square"') == 1, raised.stderr
    assert raised.stdout.count("aten.mul.Tensor") == 1
    lowered = myjit(installed, "opt", "--passes", "lower-square", text=raised.stdout)
    assert lowered.stdout.count("torch.aten.square") == 1, lowered.stderr


def test_its_verifier_speaks(installed: dict[str, str]):
    bad = 'func.func @f(%a: f32) { %0 = "example.square"(%a) : (f32) -> f64 return }'
    done = myjit(installed, "opt", text=bad)
    assert "'example.square' op gives f64 for an operand of f32" in done.stderr


def test_the_command_line_lists_it(installed: dict[str, str]):
    assert "example: square" in myjit(installed, "dialects").stdout
    assert "raise-square" in myjit(installed, "passes").stdout
    assert (
        "torch squares: raise-square, lower-square"
        in myjit(installed, "pipelines", "show", "example-cpu").stdout
    )


def test_torch_compile_takes_its_pipeline_by_name(installed: dict[str, str]):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=installed,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout == "fine\n", done.stderr
