"""Have the C library keep the memory of tensors that have gone.

glibc maps large pieces of memory, and gives back what is free at the end of its heap, by the largest mapped
piece that the program has freed: with tensors of 3 MB that is everything beyond 6 MB. A step of training that
frees more then has the system map all of it anew, and clear it, page by page: 40 of the 140 ms of a
MobileViT's backward (benchmarks/NOTES.md, "Memory kept from call to call"). After a piece of 31 MB, near the
most that glibc goes by, smaller ones come from the heap. Of the heap's end a gigabyte is kept, or a sixteenth
of the machine's memory; and it grows by half of that more than it has to, untouched, from which larger pieces
come. Who sets how much glibc keeps, or brings another allocator, keeps that.
"""

from __future__ import annotations

import ctypes
import os
import platform
from functools import cache

_PIECE = 31 << 20
_KEPT = 1 << 30
_M_TRIM_THRESHOLD, _M_TOP_PAD = -1, -2  # malloc.h


@cache
def keep_freed_memory() -> None:
    """Free a large piece of memory once in a process, unused; have the end of the heap kept."""
    if platform.libc_ver()[0] != "glibc":
        return
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
    library.free(library.malloc(_PIECE))
    if "MALLOC_TRIM_THRESHOLD_" in os.environ or "trim_threshold" in os.environ.get("GLIBC_TUNABLES", ""):
        return
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    kept = min(_KEPT, memory // 16)
    library.mallopt(_M_TRIM_THRESHOLD, kept)
    library.mallopt(_M_TOP_PAD, kept // 2)
