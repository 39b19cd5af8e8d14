"""Matrix products by cuBLASLt, which every torch for CUDA brings, on a stream that the caller names."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from typing import Any

import torch

from myjit.errors import InvokeError, LoadError
from myjit.targets._cuda_workspace import SIZE, workspace

#: CUDA's numbers of element types, by the numbers that calls write: f32, f16, bf16.
_TYPES = (0, 2, 14)
_F32, _TF32 = 68, 77
_TRANSA, _TRANSB, _EPILOGUE, _BIAS_POINTER = 3, 4, 7, 8
_EPILOGUE_BIAS = 4
_BATCH_COUNT, _BATCH_STRIDE = 5, 6
_WORKSPACE_BYTES, _ALIGNMENTS = 1, (5, 6, 7, 8)
#: Bytes that addresses are multiples of: inputs, results and parts of the scratch alike.
_ALIGNMENT = 16

_Handle = ctypes.c_void_p


class _Heuristic(ctypes.Structure):
    """cublasLtMatmulHeuristicResult_t."""

    _fields_ = [
        ("algorithm", ctypes.c_uint64 * 8),
        ("workspace", ctypes.c_size_t),
        ("state", ctypes.c_int),
        ("waves", ctypes.c_float),
        ("reserved", ctypes.c_int * 4),
    ]


@cache
def _library() -> ctypes.CDLL:
    """Return the cuBLASLt that torch has loaded."""
    version = (torch.version.cuda or "").split(".", maxsplit=1)[0]
    try:
        library = ctypes.CDLL(f"libcublasLt.so.{version}")
    except OSError as error:
        raise LoadError(f"cuBLASLt is not there: {error}") from error
    library.cublasLtMatmul.argtypes = [
        *([_Handle] * 3),
        *(ctypes.c_uint64, _Handle, ctypes.c_uint64, _Handle, _Handle),
        *(ctypes.c_uint64, _Handle, ctypes.c_uint64, _Handle),
        *(_Handle, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_uint64),
    ]
    library.cublasLtMatrixLayoutCreate.argtypes = [
        *(_Handle, ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64)
    ]
    return library


@cache
def _handle(index: int) -> Any:
    handle = _Handle()
    with torch.cuda.device(index):
        _require(_library().cublasLtCreate(ctypes.byref(handle)))
    return handle


class Product:
    """One product of known sizes: `result = left @ right (+ bias)`, rows after one another in memory.

    cuBLAS counts columns first, so it computes the transposed result from the transposed factors.

    Raises:
        LoadError: cuBLASLt has no algorithm for it.
    """

    def __init__(self, numbers: Mapping[str, int], index: int) -> None:
        self._index = index
        self._bias = 0
        f32 = numbers["factors"] == 0
        compute = _TF32 if f32 and torch.backends.cuda.matmul.allow_tf32 else _F32
        self._description = _Handle()
        library = _library()
        _require(library.cublasLtMatmulDescCreate(ctypes.byref(self._description), compute, _TYPES[0]))
        self._describe(_TRANSA, ctypes.c_int32(numbers["tb"]))
        self._describe(_TRANSB, ctypes.c_int32(numbers["ta"]))
        if numbers["bias"]:
            self._describe(_EPILOGUE, ctypes.c_int32(_EPILOGUE_BIAS))
            self._describe(_BIAS_POINTER, ctypes.c_uint64(_ALIGNMENT))  # for the heuristic; set at each call
        m, n, k, batch = (numbers[name] for name in ("m", "n", "k", "batch"))
        factor, result = _TYPES[numbers["factors"]], _TYPES[numbers["result"]]
        self._right = _layout(factor, (k, n) if numbers["tb"] else (n, k), batch)
        self._left = _layout(factor, (m, k) if numbers["ta"] else (k, m), batch)
        self._result = _layout(result, (n, m), batch)
        self._one, self._zero = ctypes.c_float(1.0), ctypes.c_float(0.0)
        self._chosen = self._choose()
        self._constants = (ctypes.byref(self._one), ctypes.byref(self._zero))
        self._algorithm = ctypes.byref(self._chosen.algorithm)
        self._call = library.cublasLtMatmul
        self._cublas = _handle(index)

    def _describe(self, attribute: int, value: Any) -> None:
        size = ctypes.c_size_t(ctypes.sizeof(value))
        set_attribute = _library().cublasLtMatmulDescSetAttribute
        _require(set_attribute(self._description, attribute, ctypes.byref(value), size))

    def _choose(self) -> _Heuristic:
        library, preference = _library(), _Handle()
        _require(library.cublasLtMatmulPreferenceCreate(ctypes.byref(preference)))
        limits = [(_WORKSPACE_BYTES, ctypes.c_uint64(SIZE))]
        limits += [(attribute, ctypes.c_uint32(_ALIGNMENT)) for attribute in _ALIGNMENTS]
        for attribute, value in limits:
            size = ctypes.c_size_t(ctypes.sizeof(value))
            set_attribute = library.cublasLtMatmulPreferenceSetAttribute
            _require(set_attribute(preference, attribute, ctypes.byref(value), size))
        chosen, count = _Heuristic(), ctypes.c_int()
        layouts = (self._right, self._left, self._result, self._result)
        code = library.cublasLtMatmulAlgoGetHeuristic(
            _handle(self._index),
            self._description,
            *layouts,
            preference,
            1,
            ctypes.byref(chosen),
            ctypes.byref(count),
        )
        library.cublasLtMatmulPreferenceDestroy(preference)
        if code or not count.value:
            raise LoadError(f"cuBLASLt has no algorithm for a product (status {code})")
        return chosen

    def __call__(  # noqa: PLR0917 (called often, and by generated code only)
        self, left: int, right: int, bias: int, result: int, stream: int, owner: int
    ) -> int:
        """Enqueue the product of what lies at these addresses; return 0.

        `owner` is the stream that it will run on: `stream`, unless that only records.

        Raises:
            InvokeError: cuBLASLt refuses.
        """
        if bias != self._bias:
            self._describe(_BIAS_POINTER, ctypes.c_uint64(bias))
            self._bias = bias
        one, zero = self._constants
        code = self._call(
            self._cublas,
            self._description,
            one,
            right,
            self._right,
            left,
            self._left,
            zero,
            result,
            self._result,
            result,
            self._result,
            self._algorithm,
            workspace(self._index, owner) if self._chosen.workspace else 0,
            self._chosen.workspace,
            stream,
        )
        if code:
            raise InvokeError(f"a product failed in cuBLASLt (status {code})")
        return 0

    def __del__(self) -> None:
        library = _library()
        library.cublasLtMatmulDescDestroy(self._description)
        for name in ("_left", "_right", "_result"):
            if hasattr(self, name):
                library.cublasLtMatrixLayoutDestroy(getattr(self, name))


def _layout(element: int, sizes: tuple[int, int], batch: int) -> Any:
    """Describe a matrix of `sizes` rows and columns that lies in memory column by column."""
    rows, columns = sizes
    layout = _Handle()
    library = _library()
    _require(library.cublasLtMatrixLayoutCreate(ctypes.byref(layout), element, rows, columns, rows))
    if batch > 1:
        for attribute, value in (
            (_BATCH_COUNT, ctypes.c_int32(batch)),
            (_BATCH_STRIDE, ctypes.c_int64(rows * columns)),
        ):
            size = ctypes.c_size_t(ctypes.sizeof(value))
            set_attribute = library.cublasLtMatrixLayoutSetAttribute
            _require(set_attribute(layout, attribute, ctypes.byref(value), size))
    return layout


def _require(code: int) -> None:
    if code:
        raise LoadError(f"cuBLASLt refuses (status {code})")
