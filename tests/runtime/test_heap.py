"""The C library keeps what steps of training free, and does not have it mapped anew at the next."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

_PROGRAM = """
import ctypes, resource, torch, myjit

library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]

def is_mapped():
    place = library.malloc(ctypes.c_size_t(30 << 20))
    # glibc notes in front of a piece of memory how large it is, and whether it was mapped by itself.
    mapped = bool(ctypes.c_size_t.from_address(place - ctypes.sizeof(ctypes.c_size_t)).value & 2)
    library.free(place)
    return mapped

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    pieces = [torch.ones(5 << 20) for _ in range(10)]
    del pieces
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

{before}
print(is_mapped(), [faults() for _ in range(5)][-1] < 5000)
"""


_COMPILING = 'torch.compile(lambda x: x + 1, backend="myjit_mlir")(torch.ones(8))'
_WITH_HOLES = """
small = [library.malloc(ctypes.c_size_t(100_000)) for _ in range(450)]
behind = library.malloc(ctypes.c_size_t(100_000))
for place in small:
    library.free(ctypes.c_void_p(place))
from myjit.runtime.heap import keep_freed_memory
keep_freed_memory()
"""


def outcome(before: str, **settings: str) -> list[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "LD_PRE"))}
    clean.pop("GLIBC_TUNABLES", None)
    command = [sys.executable, "-c", _PROGRAM.format(before=before)]
    run = subprocess.run(command, env=clean | settings, capture_output=True, text=True, check=True)
    return run.stdout.split()[-2:]


pytestmark = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="another C library than glibc, whose rules these are"
)


@pytest.mark.parametrize("compiled", [False, True])
def test_large_tensors_come_from_the_heap_once_something_is_compiled(compiled):
    assert outcome(_COMPILING if compiled else "")[0] == str(not compiled)


@pytest.mark.parametrize("before", [_COMPILING, _WITH_HOLES], ids=["", "with 45 MB free before"])
def test_what_steps_free_stays(before):
    assert outcome(before)[1] == "True"


@pytest.mark.parametrize(
    "settings",
    [
        {"MALLOC_TRIM_THRESHOLD_": "1000000"},
        {"MALLOC_MMAP_THRESHOLD_": "1000000"},
        {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=1000000"},
    ],
)
def test_who_says_how_much_is_kept_decides(settings):
    assert outcome(_COMPILING, **settings)[1] == "False"
