"""CUDA's driver interface, as far as launching compiled kernels on torch's streams needs it."""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from myjit.errors import InvokeError, LoadError

#: Kernels need leave to use more shared memory than this, in bytes.
_SHARED_WITHOUT_LEAVE = 48 * 1024
_MAX_DYNAMIC_SHARED_SIZE = 8
_HEADER = 64


class Config(ctypes.Structure):
    """CUlaunchConfig: how to launch a kernel, and on which stream."""

    _fields_: ClassVar = [
        *((name, ctypes.c_uint) for name in ("gx", "gy", "gz", "bx", "by", "bz", "shared")),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("attribute_count", ctypes.c_uint),
    ]


@dataclass(frozen=True)
class Kernel:
    """A loaded kernel: its handle, its block's extents, and the shared memory that it is launched with."""

    handle: ctypes.c_void_p
    block: tuple[int, int, int]
    shared: int


class Driver:
    """The functions of libcuda, with the error names of those that fail."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")
        self.launch = self.library.cuLaunchKernelEx
        self.launch.argtypes = [ctypes.c_void_p] * 4
        self.copy = self.library.cuMemcpyDtoDAsync_v2
        self.copy.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p]
        self.launch_graph = self.library.cuGraphLaunch
        self.launch_graph.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self.fill = {1: self._fill("cuMemsetD8Async"), 2: self._fill("cuMemsetD16Async")}
        self.fill[4] = self._fill("cuMemsetD32Async")

    def _fill(self, name: str) -> Any:
        function = getattr(self.library, name)
        function.argtypes = [ctypes.c_uint64, ctypes.c_uint32, ctypes.c_size_t, ctypes.c_void_p]
        return function

    def explain(self, code: int) -> str:
        """Return CUDA's name of an error."""
        name = ctypes.c_char_p()
        self.library.cuGetErrorName(code, ctypes.byref(name))
        return (name.value or b"").decode() or f"error {code}"

    def context(self, index: int) -> ctypes.c_void_p:
        """Return the context that torch uses on a device."""
        device, context = ctypes.c_int(), ctypes.c_void_p()
        code = self.library.cuDeviceGet(ctypes.byref(device), index)
        code = code or self.library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        if code:
            raise LoadError(f"device cuda:{index} cannot be used: {self.explain(code)}")
        return context


@cache
def driver() -> Driver:
    """Return the driver, loaded once."""
    return Driver()


class Module:
    """Kernels loaded into the current context; unloaded with the last reference to them."""

    def __init__(self) -> None:
        self.kernels: dict[str, Kernel] = {}
        self._handles: list[ctypes.c_void_p] = []

    @classmethod
    def of_executable(cls, executable: bytes) -> Module:
        """Load an executable of IREE's."""
        module = cls()
        exports, sources = read_executable(executable)
        for source in sources:
            module._load(source)
        for number, name, block, shared in exports:
            module._find(number, name, block, shared)
        return module

    @classmethod
    def of_kernel(cls, code: bytes, name: str, block: tuple[int, int, int], shared: int) -> Module:
        """Load one kernel from machine code or PTX."""
        module = cls()
        module._load(code)
        module._find(0, name, block, shared)
        return module

    def _load(self, code: bytes) -> None:
        handle = ctypes.c_void_p()
        self._require(driver().library.cuModuleLoadData(ctypes.byref(handle), code))
        self._handles.append(handle)

    def _find(self, number: int, name: str, block: tuple[int, int, int], shared: int) -> None:
        kernel = ctypes.c_void_p()
        library = driver().library
        found = library.cuModuleGetFunction(ctypes.byref(kernel), self._handles[number], name.encode())
        self._require(found)
        if shared > _SHARED_WITHOUT_LEAVE:
            self._require(library.cuFuncSetAttribute(kernel, _MAX_DYNAMIC_SHARED_SIZE, shared))
        self.kernels[name] = Kernel(kernel, block, shared)

    def _require(self, code: int) -> None:
        if code:
            raise LoadError(f"the compiled kernels do not load: {driver().explain(code)}")

    def __del__(self) -> None:
        if driver().library.cuCtxSynchronize() == 0:  # kernels under way need their code
            for handle in self._handles:
                driver().library.cuModuleUnload(handle)


class Contexts:
    """Sees to it that a thread's calls go to the context of device `index`."""

    def __init__(self, index: int) -> None:
        self._index = index
        self._context = driver().context(index)
        self._threads = threading.local()

    def enter(self) -> None:
        """Make the context current in this thread, where no device of torch's was yet used."""
        if not hasattr(self._threads, "entered"):
            current = ctypes.c_void_p()
            driver().library.cuCtxGetCurrent(ctypes.byref(current))
            if not current.value:
                code = driver().library.cuCtxSetCurrent(self._context)
                if code:
                    raise InvokeError(f"no CUDA context: {driver().explain(code)}")
            self._threads.entered = True


def read_executable(data: bytes) -> tuple[list[tuple[int, str, tuple[int, int, int], int]], list[bytes]]:
    """Return what IREE's executable for CUDA holds: kernels, and modules in PTX.

    A kernel is the number of its module, its name, its block's extents and its shared memory in bytes.
    The format is IREE's cuda_executable_def.fbs (3.13), a FlatBuffer after a header of 64 bytes.

    Raises:
        LoadError: it is something else.
    """
    if data[:4] != b"CDA1":
        raise LoadError("no executable of IREE's for CUDA, version 1")
    table = _Table(data[_HEADER:], 0).follow(0)
    kernels = []
    for export in table.tables(0):
        block = struct.unpack_from("<III", export.data, export.place(2))
        kernels.append((export.number(0), export.text(1).decode(), block, export.number(3)))
    return kernels, [module.text(0) + b"\0" for module in table.tables(1)]


class _Table:
    """A table of a FlatBuffer."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def _u32(self, at: int) -> int:
        return struct.unpack_from("<I", self.data, at)[0]

    def follow(self, at: int) -> _Table:
        return _Table(self.data, at + self._u32(at))

    def place(self, field: int) -> int:
        """Return where a field lies, 0 where it has its default."""
        fields = self.at - struct.unpack_from("<i", self.data, self.at)[0]
        entry = 4 + 2 * field
        if entry >= struct.unpack_from("<H", self.data, fields)[0]:
            return 0
        offset = struct.unpack_from("<H", self.data, fields + entry)[0]
        return self.at + offset if offset else 0

    def number(self, field: int) -> int:
        place = self.place(field)
        return self._u32(place) if place else 0

    def text(self, field: int) -> bytes:
        start = self.follow(self.place(field)).at
        return self.data[start + 4 : start + 4 + self._u32(start)]

    def tables(self, field: int) -> Iterator[_Table]:
        start = self.follow(self.place(field)).at
        for i in range(self._u32(start)):
            yield self.follow(start + 4 + 4 * i)
