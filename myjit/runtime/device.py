"""IREE devices of this process, replaced after a failed call."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from myjit.errors import LoadError
from myjit.mlir.parameters import SCOPE
from myjit.runtime.addresses import Addresses
from myjit.runtime.calming import calmed_threads
from myjit.runtime.openmp import alone
from myjit.runtime.waiting import patient

#: The drivers whose devices compute on the calling thread, and on threads of IREE's.
WITHOUT_THREADS, WITH_THREADS = "local-sync", "local-task"
#: Bytes that a CPU's device keeps of the memory in which kernels hand each other tensors, beside one piece.
_KEPT = 128 << 20


def leak(value: Any) -> None:
    """Keep something for ever."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))


def _borrowed(buffer: Any) -> Any:
    """Return a view of a buffer's memory that is never freed, and does not hold the buffer.

    Threads of IREE's let go of what it was given, without Python's lock: the last to do so freed an object.
    """
    memory = np.frombuffer(buffer, np.uint8)
    view = (ctypes.c_char * memory.nbytes).from_address(memory.ctypes.data)
    leak(view)
    return view


@dataclass(frozen=True, eq=False)
class Device:
    """One IREE device with what every module on it shares.

    `import_memory(memory, memory_type, usage)` imports host memory for compiled code to write to; the
    caller keeps it alive. A DLPack import would not do: it lacks the right to discard what the memory
    holds.
    """

    driver: str
    instance: Any
    handle: Any
    hal_module: Any
    import_memory: Any
    memory_type: int
    usage: int
    addresses: Addresses = field(default_factory=Addresses)

    def load(self, vmfb: bytes | memoryview, parameters: Mapping[str, Any] | None = None) -> tuple[Any, Any]:
        """Return a fresh VM context that holds the module, and its `main` function.

        `parameters` are the buffers that the module asks for by name. IREE uses them where they are, so
        the caller keeps them for as long as the context.

        Raises:
            LoadError: the bytes are no module that this runtime can load.
        """
        import iree.runtime as rt

        try:
            module = rt.VmModule.copy_buffer(self.instance, vmfb)
            modules = [self.hal_module, module]
            if parameters:
                index = rt.ParameterIndex()
                for name, buffer in parameters.items():
                    index.add_buffer(name, _borrowed(buffer))
                provider = index.create_provider(scope=SCOPE)
                modules.insert(0, rt.create_io_parameters_module(self.instance, provider))
            context = rt.VmContext(self.instance, modules)
        except (RuntimeError, ValueError) as error:
            raise LoadError(f"the compiled module does not load on {self.driver}: {error}") from error
        return context, module.lookup_function("main")

    def invoker(self, context: Any) -> Callable[..., Any]:
        """Return what calls the functions of a context: `invoke(function, arguments, results)`."""
        return alone(patient(context.invoke)) if self.driver == WITH_THREADS else context.invoke


def _created(driver: str) -> Any:
    """Return a new device. On a CPU it keeps memory from call to call: IREE clears all that it allocates."""
    import iree.runtime as rt

    on_cpu = driver in (WITHOUT_THREADS, WITH_THREADS)
    allocators: Any = [f"caching:*=*;{_KEPT}"] if on_cpu else None  # names, where IREE's stubs want objects
    return rt.get_driver(driver).create_device_by_uri(driver, allocators=allocators)


class DevicePool:
    """Creates each device once. A device is dropped after a failed call: the failure can leave it
    refusing every later call (seen with IREE 3.13)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._devices: dict[str, Device] = {}
        self._instance: Any = None
        self._is_forked = False

    def get(self, driver: str) -> Device:
        """Return the device of `driver` (such as `local-sync`), creating it on first use.

        In a forked process the calling thread computes, since IREE's driver has its parent's threads.
        """
        if self._is_forked and driver == WITH_THREADS:
            driver = WITHOUT_THREADS
        device = self._devices.get(driver)
        return device if device is not None else self._create(driver)

    def drivers(self) -> list[str]:
        """Return the drivers whose devices exist."""
        return list(self._devices)

    def drop(self, device: Device) -> None:
        """Forget a device, so that the next call gets a new one."""
        with self._lock:
            if self._devices.get(device.driver) is device:
                del self._devices[device.driver]

    def leave(self) -> None:
        """Forget, in a forked process, the devices whose threads only its parent has.

        None is ever freed: even those that compute on the calling thread would wait for a thread of theirs,
        which a forked process does not have.
        """
        self._lock = threading.Lock()
        self._is_forked = True
        for driver, device in list(self._devices.items()):
            leak(device)
            if driver != WITHOUT_THREADS:
                del self._devices[driver]

    def clear(self) -> None:
        """Forget every device."""
        with self._lock:
            self._devices.clear()
            self._instance = None

    def _create(self, driver: str) -> Device:
        import iree.runtime as rt

        with self._lock:
            if driver not in self._devices:
                self._instance = self._instance or rt.VmInstance()
                calm = calmed_threads() if driver.startswith("vulkan") else nullcontext()
                with calm:
                    handle = _created(driver)
                hal_module = rt.create_hal_module(self._instance, handle)
                self._devices[driver] = Device(
                    driver,
                    self._instance,
                    handle,
                    hal_module,
                    handle.allocator.import_host_allocation,
                    int(rt.MemoryType.HOST_LOCAL | rt.MemoryType.DEVICE_VISIBLE),
                    int(rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING),
                )
            return self._devices[driver]


DEVICES = DevicePool()
