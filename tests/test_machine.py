"""What this processor has, and what Linux lets this process use of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from myjit import machine
from myjit.targets.cpu import CpuTarget

LISTED = frozenset(machine.own_features())


@pytest.fixture
def asked_anew():
    machine.own_features.cache_clear()
    yield
    machine.own_features.cache_clear()


def test_matrices_that_linux_keeps_back_are_not_there(monkeypatch, asked_anew):
    monkeypatch.setattr(machine, "_may_use_matrices", lambda: False)
    assert machine.own_features() == {name for name in LISTED if not name.startswith("amx")}
    assert CpuTarget().granted() == ()
    assert not CpuTarget().identity().endswith(" amx")
    assert machine.why_not("", "+amx-tile,+amx-bf16") == "this processor lacks amx-tile, amx-bf16"


@pytest.mark.skipif(
    "amxbf16" not in LISTED, reason="the processor has no AMX, or Linux does not let it be used"
)
def test_matrices_are_asked_for():
    """Asking is what gives them: Linux tells a process which registers it may use."""
    program = """
import ctypes
from myjit import machine

def granted():
    mask = ctypes.c_uint64()
    ctypes.CDLL(None).syscall(158, 0x1022, ctypes.byref(mask))
    return bool(mask.value >> 18 & 1)

before = granted()
machine.own_features()
print(before, granted())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_other_processors_are_granted_nothing():
    assert CpuTarget("x86-64-v4").granted() == ()
