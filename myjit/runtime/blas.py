"""The BLAS that torch brings, as compiled code calls it: by the addresses of its functions."""

from __future__ import annotations

import ctypes
import platform
from functools import cache
from pathlib import Path
from typing import Any

import torch

from myjit.mlir.parameters import TABLE

_FUNCTIONS = {
    "set_threads": "MKL_Set_Num_Threads_Local",
    "f32": "sgemm_",
    "bf16": "gemm_bf16bf16f32_",
    "f16": "gemm_f16f16f32_",
}


@cache
def library_table(*, shared: bool = True) -> Any:
    """Return the table of addresses that compiled code takes; None where torch has no MKL that can be called.

    `shared` tells whether the workgroups of a product run beside each other. Otherwise MKL uses its threads.
    """
    if (
        platform.system() != "Linux"
        or platform.machine() != "x86_64"
        or not torch.backends.mkl.is_available()
    ):
        return None
    try:
        library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
        addresses = {
            name: ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value or 0
            for name, symbol in _FUNCTIONS.items()
        }
    except (OSError, AttributeError):  # MKL may be a library of its own
        return None
    addresses["shared"] = int(shared)
    return (ctypes.c_int64 * len(TABLE))(*(addresses[name] for name in TABLE))
