"""`--variants` runs a few variants of each test, and never none."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

TESTS = """
import pytest

@pytest.mark.parametrize("n", range(9))
def test_many(n): ...

@pytest.mark.every_variant
@pytest.mark.parametrize("n", range(3))
def test_all(n): ...

@pytest.mark.parametrize("n", range(3))
@pytest.mark.parametrize("target", ["cpu", pytest.param("vulkan", marks=pytest.mark.vulkan)])
def test_targets(target, n): ...

def test_one(): ...
"""


def collected(folder: Path, *arguments: str) -> list[str]:
    """Return the tests that would run, by their names."""
    shutil.copy(Path(__file__).parents[1] / "conftest.py", folder)
    (folder / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    return re.findall(r"::test_(\S+)", said)


def test_all_run_by_default(tmp_path):
    assert len(collected(tmp_path)) == 9 + 3 + 6 + 1


def test_first_and_last(tmp_path):
    few = collected(tmp_path, "--variants", "2")
    plain = ["many[0]", "many[8]", "all[0]", "all[1]", "all[2]", "targets[cpu-0]", "targets[cpu-2]", "one"]
    assert few == [*plain, "targets[vulkan-0]", "targets[vulkan-2]"]


def test_spread(tmp_path):
    kept = [name for name in collected(tmp_path, "--variants", "3") if name.startswith("many")]
    assert kept == ["many[0]", "many[4]", "many[8]"]


def test_one_variant(tmp_path):
    kept = [name for name in collected(tmp_path, "--variants", "1") if name.startswith("many")]
    assert kept == ["many[0]"]
