"""Have the C library keep the memory of tensors that have gone.

glibc maps large pieces of memory, and gives back what is free at the end of its heap, by the largest mapped
piece that the program has freed: with tensors of 3 MB that is everything beyond 6 MB. A step of training
that frees more then has the system map all of it anew, and clear it, page by page: 40 of the 140 ms of a
MobileViT's backward (benchmarks/NOTES.md, "Memory kept from call to call"). So pieces of up to 31 MB, near
the most that glibc allows, come from the heap. Of the heap's end a gigabyte is kept, or a sixteenth of the
machine's memory; and it grows by half of that more than it has to, untouched, from which larger pieces come.
Who sets how much glibc keeps, or brings another allocator, keeps that.
"""

from __future__ import annotations

import ctypes
import os
import platform
from functools import cache

_PIECE = 31 << 20
_KEPT = 1 << 30
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3  # malloc.h
_SETTINGS = ("trim_threshold", "top_pad", "mmap_threshold")


@cache
def keep_freed_memory() -> None:
    """Have tensors' memory kept in the heap, once in a process."""
    if platform.libc_ver()[0] != "glibc" or _is_set():
        return
    library = ctypes.CDLL(None)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    kept = min(_KEPT, memory // 16)
    library.mallopt(_M_MMAP_THRESHOLD, _PIECE)
    library.mallopt(_M_TRIM_THRESHOLD, kept)
    library.mallopt(_M_TOP_PAD, kept // 2)


def _is_set() -> bool:
    """Tell whether the environment sets what this would."""
    tunables = os.environ.get("GLIBC_TUNABLES", "")
    return any(f"MALLOC_{name.upper()}_" in os.environ or name in tunables for name in _SETTINGS)
