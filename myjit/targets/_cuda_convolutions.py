"""Convolutions by cuDNN, which every torch for CUDA brings, on a stream that the caller names.

These are cuDNN's older calls: for convolutions alone they choose what its graphs choose, as measured, at a
tenth of the code (benchmarks/NOTES.md).
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

import torch

from myjit.errors import InvokeError, LoadError
from myjit.targets._cuda_workspace import SIZE, workspace

#: cuDNN's numbers of element types, by the numbers that calls write: f32, f16, bf16.
_TYPES = (0, 2, 9)
_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
_F32, _CHANNELS_LAST, _CROSS_CORRELATION = 0, 1, 1
_WITH_TF32, _TENSOR_CORES, _WITHOUT_TF32 = 0, 1, 3
_MOST_ALGORITHMS = 8
_NOT_FOUND = "cuDNN has no algorithm for a convolution"

_Handle = ctypes.c_void_p
#: Held from when a handle is told its stream until it has been used: threads share it.
_lock = threading.Lock()


class _Found(ctypes.Structure):
    """cudnnConvolutionFwdAlgoPerf_t."""

    _fields_ = [
        ("algorithm", ctypes.c_int),
        ("status", ctypes.c_int),
        ("time", ctypes.c_float),
        ("memory", ctypes.c_size_t),
        ("determinism", ctypes.c_int),
        ("math", ctypes.c_int),
        ("reserved", ctypes.c_int * 3),
    ]


@cache
def _library() -> ctypes.CDLL:
    """Return the cuDNN that torch has loaded, or would."""
    version = torch.backends.cudnn.version()
    if version is None:
        raise LoadError("this torch has no cuDNN")
    major = version // 10000 if version >= 90000 else version // 1000
    try:
        library = ctypes.CDLL(f"libcudnn.so.{major}")
    except OSError as error:
        raise LoadError(f"cuDNN is not there: {error}") from error
    pointer = ctypes.c_uint64
    library.cudnnSetStream.argtypes = [_Handle, pointer]
    library.cudnnConvolutionForward.argtypes = [
        *(_Handle, _Handle, _Handle, pointer, _Handle, pointer, _Handle),
        *(ctypes.c_int, pointer, ctypes.c_size_t, _Handle, _Handle, pointer),
    ]
    return library


@cache
def _handle(index: int) -> Any:
    handle = _Handle()
    with torch.cuda.device(index):
        _require(_library().cudnnCreate(ctypes.byref(handle)))
    return handle


class Convolution:
    """One convolution of known sizes: images [n, h, w, c] by weights [k, r, s, c / groups].

    Whether float32 is multiplied in TF32 is what torch says when this is made.

    Raises:
        LoadError: cuDNN has no algorithm for it, or is switched off.
    """

    def __init__(self, numbers: Mapping[str, int], index: int) -> None:
        self._index = index
        self._made: list[tuple[str, Any]] = []
        if not torch.backends.cudnn.enabled:
            raise LoadError("cuDNN is switched off (torch.backends.cudnn.enabled)")
        kind = numbers["type"]
        n, c, h, w, k, r, s, p, q = (numbers[name] for name in "nchwkrspq")
        inner = c // numbers["groups"]
        self._image = self._tensor(kind, n, c, h, w)
        self._result = self._tensor(kind, n, k, p, q)
        self._weight = self._create("Filter")
        library = _library()
        _require(
            library.cudnnSetFilter4dDescriptor(self._weight, _TYPES[kind], _CHANNELS_LAST, k, inner, r, s)
        )
        self._description = self._create("Convolution")
        pairs = [numbers[name + side] for name in ("pad", "step", "apart") for side in "hw"]
        _require(library.cudnnSetConvolution2dDescriptor(self._description, *pairs, _CROSS_CORRELATION, _F32))
        _require(library.cudnnSetConvolutionGroupCount(self._description, numbers["groups"]))
        math = _TENSOR_CORES
        if _TYPES[kind] == _F32:
            math = _WITH_TF32 if torch.backends.cudnn.allow_tf32 else _WITHOUT_TF32
        _require(library.cudnnSetConvolutionMathType(self._description, math))
        one, zero = ctypes.c_float(1.0), ctypes.c_float(0.0)
        self._constants = (one, zero, ctypes.byref(one), ctypes.byref(zero))
        self._algorithm, self._memory = -1, 0
        self._choose((n * c * h * w, k * inner * r * s, n * k * p * q), _DTYPES[kind])

    def _create(self, what: str) -> Any:
        made = _Handle()
        _require(getattr(_library(), f"cudnnCreate{what}Descriptor")(ctypes.byref(made)))
        self._made.append((what, made))
        return made

    def _tensor(self, kind: int, *sizes: int) -> Any:
        made = self._create("Tensor")
        _require(_library().cudnnSetTensor4dDescriptor(made, _CHANNELS_LAST, _TYPES[kind], *sizes))
        return made

    def _choose(self, sizes: tuple[int, int, int], dtype: torch.dtype) -> None:
        """Take the first algorithm, as cuDNN ranks them, that has memory enough and runs.

        It ranks some that then refuse (grouped convolutions of half types).
        """
        found, count = (_Found * _MOST_ALGORITHMS)(), ctypes.c_int()
        operands = (self._image, self._weight, self._description, self._result)
        code = _library().cudnnGetConvolutionForwardAlgorithm_v7(
            _handle(self._index), *operands, _MOST_ALGORITHMS, ctypes.byref(count), found
        )
        if code:
            raise LoadError(f"{_NOT_FOUND} (status {code})")
        with torch.cuda.device(self._index):
            tried = [torch.zeros(size, dtype=dtype, device="cuda") for size in sizes]
            stream = torch.cuda.current_stream().cuda_stream
        for one in found[: count.value]:
            if one.status or one.memory > SIZE:
                continue
            self._algorithm, self._memory = one.algorithm, one.memory
            _require(_library().cudnnSetConvolutionMathType(self._description, one.math))
            if not self._run([t.data_ptr() for t in tried], stream, stream):
                return
        raise LoadError(_NOT_FOUND)

    def _run(self, places: list[int], stream: int, owner: int) -> int:
        image, weight, result = places
        library, handle = _library(), _handle(self._index)
        scratch = workspace(self._index, owner) if self._memory else 0
        _, _, one, zero = self._constants
        with _lock:
            return library.cudnnSetStream(handle, stream) or library.cudnnConvolutionForward(
                handle,
                one,
                self._image,
                image,
                self._weight,
                weight,
                self._description,
                self._algorithm,
                scratch,
                self._memory,
                zero,
                self._result,
                result,
            )

    def __call__(self, places: list[int], stream: int, owner: int) -> int:
        """Enqueue the convolution of what lies at these addresses (image, weight, result); return 0.

        `owner` is the stream that it will run on: `stream`, unless that only records.

        Raises:
            InvokeError: cuDNN refuses.
        """
        code = self._run(places, stream, owner)
        if code:
            raise InvokeError(f"a convolution failed in cuDNN (status {code})")
        return 0

    def __del__(self) -> None:
        for what, made in self._made:
            getattr(_library(), f"cudnnDestroy{what}Descriptor")(made)


def _require(code: int) -> None:
    if code:
        raise LoadError(f"cuDNN refuses (status {code})")
