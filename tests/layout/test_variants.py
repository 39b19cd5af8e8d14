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


def test_one_for_each_target_unless_marked(tmp_path):
    few = [re.sub(r"\d+]", "n]", name) for name in collected(tmp_path, "--variants", "1")]
    assert few == ["many[n]", "all[n]", "all[n]", "all[n]", "targets[cpu-n]", "one", "targets[vulkan-n]"]


def test_some_far_from_each_other(tmp_path):
    kept = [name for name in collected(tmp_path, "--variants", "3") if name.startswith("many")]
    numbers = [int(re.sub(r"\D", "", name)) for name in kept]
    assert sorted((number - numbers[0]) % 9 for number in numbers) == [0, 3, 6]


def test_the_same_ones_each_time(tmp_path):
    assert collected(tmp_path, "--variants", "1") == collected(tmp_path, "--variants", "1")
