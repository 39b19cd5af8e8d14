"""Have the C library keep the memory of tensors that have gone.

glibc maps large pieces of memory, and gives back what is free at the end of its heap, by the largest mapped
piece that the program has freed: with tensors of 3 MB that is everything beyond 6 MB. A step of training that
frees three of them then has the system map all of it anew, and clear it, page by page: 0.9 ms of page faults
for the 0.3 ms of a LayerNorm (benchmarks/NOTES.md, "Memory kept from call to call"). After a piece of 31 MB,
near the most that glibc goes by, up to 62 MB are kept. Who sets `MALLOC_TRIM_THRESHOLD_` or brings another
allocator keeps that.
"""

from __future__ import annotations

import ctypes
import platform
from functools import cache

_BYTES = 31 << 20


@cache
def keep_freed_memory() -> None:
    """Free a large piece of memory once in a process, without having used it."""
    if platform.libc_ver()[0] != "glibc":
        return
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
    library.free(library.malloc(_BYTES))
