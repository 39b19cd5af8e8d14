"""Functions of this process that compiled code calls: those of torch's OpenMP, and of the BLAS it brings."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch

from myjit.mlir.parameters import LIBRARY_ELEMENTS, TABLE
from myjit.mlir.teams import MARKER, SLOT_BYTES

_SYMBOLS = {
    "parallel": "GOMP_parallel",  # of the OpenMP that torch itself has found, which may have been preloaded
    "threads": "_ZN2at15get_num_threadsEv",  # at::get_num_threads()
    "f32": "sgemm_",
    "bf16": "gemm_bf16bf16f32_",
    "f16": "gemm_f16f16f32_",
    "number": "omp_get_thread_num",
}


@cache
def table() -> Any:
    """Return the addresses that compiled code takes, in the order of `TABLE`; 0 where there is none."""
    torch_itself = str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so")
    places = {"parallel": (None, torch_itself), "number": (None, torch_itself)}
    addresses = (_address(_SYMBOLS[name], places.get(name, (torch_itself,))) for name in TABLE)
    return _kept(tuple(addresses))


@cache
def _kept(addresses: tuple[int, ...]) -> Any:
    """Return addresses in memory that is never freed: a call that failed may leave threads that read it."""
    return (ctypes.c_int64 * len(addresses))(*addresses)


def _address(symbol: str, places: Sequence[str | None]) -> int:
    """Return the address of a function in the first library that has it, with those it is linked to.

    None stands for what the whole process sees.
    """
    if platform.system() != "Linux" or platform.machine() != "x86_64":  # nothing else has been tried
        return 0
    for place in places:
        try:
            return ctypes.cast(getattr(ctypes.CDLL(place), symbol), ctypes.c_void_p).value or 0
        except (OSError, AttributeError):
            continue
    return 0


@cache
def libraries() -> tuple[str, ...]:
    """Name what compiled code can call in this process: `openmp`, and `blas` beside it."""
    found = dict(zip(TABLE, table(), strict=True))
    if not all(found[name] for name in ("parallel", "threads", "number")):
        return ()
    blas = torch.backends.mkl.is_available() and all(found[element] for element in LIBRARY_ELEMENTS)
    return ("openmp", "blas") if blas else ("openmp",)


def joined(vmfb: bytes | memoryview) -> bytes:
    """Return compiled code with the address of the table in the slots that it keeps for it."""
    address = ctypes.addressof(table()).to_bytes(SLOT_BYTES, "little")
    return bytes(vmfb).replace(MARKER + bytes(SLOT_BYTES), MARKER + address)


def _part() -> None:
    """Have workgroups run one after the other: OpenMP waits for threads that did not survive the fork."""
    table()[TABLE.index("parallel")] = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_part)
