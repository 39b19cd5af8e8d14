"""The C library keeps what steps of training free, and does not have it mapped anew at the next."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

_PROGRAM = """
import ctypes, torch, myjit

def is_mapped():
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    place = library.malloc(ctypes.c_size_t(30 << 20))
    # glibc notes in front of a piece of memory how large it is, and whether it was mapped by itself.
    mapped = bool(ctypes.c_size_t.from_address(place - ctypes.sizeof(ctypes.c_size_t)).value & 2)
    library.free.argtypes = [ctypes.c_void_p]
    library.free(place)
    return mapped

if {compiled}:
    torch.compile(lambda x: x + 1, backend="myjit_mlir")(torch.ones(8))
print(is_mapped())
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="another C library than glibc, whose rules these are"
)
@pytest.mark.parametrize("compiled", [False, True])
def test_large_tensors_come_from_the_heap_once_something_is_compiled(compiled):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "LD_PRE"))}
    command = [sys.executable, "-c", _PROGRAM.format(compiled=compiled)]
    run = subprocess.run(command, env=clean, capture_output=True, text=True, check=True)
    assert run.stdout.split()[-1] == str(not compiled)
