"""Send a program's commands to torch's current stream: nothing waits, neither the host nor the device."""

from __future__ import annotations

import ctypes
import struct
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from myjit.errors import InvokeError, LoadError
from myjit.launches import Call, Command, Copy, Fill, Launch, Launches, Place
from myjit.targets._cuda_driver import Config, Contexts, Kernel, Module, driver

_lock = threading.Lock()
_modules: weakref.WeakValueDictionary[tuple[int, bytes], Module] = weakref.WeakValueDictionary()

_BODY = """\
def enqueue(slots):
    if current_device() != index:
        with on_device(index):
            return enqueue(slots)
    enter()
    [{slots}] = slots
    stream = current_stream(index)
    if stream != last[0]:
        for config in configs:
            config.stream = stream
        last[0] = stream
    pack(cells, 0, {cells})
    code = {commands}
    if code:
        raise failure(code)
"""


def enqueuer(launches: Launches, index: int) -> Callable[[Sequence[int]], None]:
    """Return a function that sends the commands, given the address of each slot. It serves one call at a
    time: the kernels' arguments are kept in one place.

    Raises:
        LoadError: the driver refuses the kernels.
    """
    import torch

    torch.cuda.init()
    with torch.cuda.device(index):
        contexts = Contexts(index)
        contexts.enter()
        launched = {c.executable for c in launches.commands if isinstance(c, Launch)}
        modules = {i: _module(launches.executables[i], index) for i in launched}
        return _Writer(launches, modules, contexts, index).function()


def _module(executable: bytes, index: int) -> Module:
    with _lock:
        module = _modules.get((index, executable))
        if module is None:
            module = _modules[index, executable] = Module(executable)
        return module


class _Writer:
    """Writes the function: straight-line code with the arguments of each launch at a place of its own."""

    def __init__(
        self, launches: Launches, modules: dict[int, Module], contexts: Contexts, index: int
    ) -> None:
        self.launches = launches
        self.modules = modules
        self.index = index
        used = {p: None for c in launches.commands if isinstance(c, Launch) for p in c.pointers}
        self.places = {place: i for i, place in enumerate(used)}
        self.cells = (ctypes.c_uint64 * max(1, len(used)))()
        self.configs: list[Config] = []
        self.names: dict[str, Any] = {
            "enter": contexts.enter,
            "modules": modules,
            "copy": driver().copy,
            "launch": driver().launch,
            "cells": self.cells,
            "configs": self.configs,
            "last": [None],
            "index": index,
            "failure": lambda code: InvokeError(f"a launch failed: {driver().explain(code)}"),
        }

    def function(self) -> Callable[[Sequence[int]], None]:
        import torch

        commands = [self._command(i, c) for i, c in enumerate(self.launches.commands)]
        count = self.launches.arguments + len(self.launches.scratch)
        source = _BODY.format(
            slots="".join(f"s{i}, " for i in range(count)),
            cells=", ".join(self._address(place) for place in self.places) or "0",
            commands=" or ".join(commands) or "0",
        )
        self.names["pack"] = struct.Struct(f"{len(self.cells)}Q").pack_into
        self.names["current_device"] = torch._C._cuda_getDevice
        self.names["current_stream"] = torch._C._cuda_getCurrentRawStream
        self.names["on_device"] = torch.cuda.device
        exec(compile(source, "<myjit launches>", "exec"), self.names)  # noqa: S102 (numbers only)
        return self.names["enqueue"]

    def _address(self, place: Place) -> str:
        return f"s{place.slot} + {place.offset}" if place.offset else f"s{place.slot}"

    def _command(self, number: int, command: Command) -> str:
        if isinstance(command, Copy):
            target, source = self._address(command.target), self._address(command.source)
            return f"copy({target}, {source}, {command.length}, stream)"
        if isinstance(command, Call):
            return self._call(number, command)
        if isinstance(command, Fill):
            self.names[f"fill{command.width}"] = driver().fill[command.width]
            pattern = command.pattern & ((1 << 8 * command.width) - 1)
            count = command.length // command.width
            return f"fill{command.width}({self._address(command.target)}, {pattern}, {count}, stream)"
        kernel = self.modules[command.executable].kernels.get(command.kernel)
        if kernel is None:
            raise LoadError(f"the executable has no kernel {command.kernel}")
        self.names[f"function{number}"] = kernel.handle
        self.names[f"config{number}"] = self._config(command, kernel)
        self.names[f"arguments{number}"] = self._arguments(command)
        return f"launch(config{number}, function{number}, arguments{number}, None)"

    def _call(self, number: int, command: Call) -> str:
        from myjit.targets._cuda_products import Product

        if command.operation != "matmul":
            raise LoadError(f"no library call {command.operation!r}")
        numbers = dict(command.numbers)
        self.names[f"product{number}"] = Product(numbers, self.index)
        left, right, *bias, result = (self._address(place) for place in command.pointers)
        return f"product{number}({left}, {right}, {bias[0] if bias else 0}, {result}, stream)"

    def _config(self, command: Launch, kernel: Kernel) -> Any:
        config = Config(*command.grid, *kernel.block, kernel.shared)
        self.configs.append(config)
        return ctypes.byref(config)

    def _arguments(self, command: Launch) -> Any:
        """Return the addresses of a launch's arguments: of pointers in cells, and of constants."""
        first = ctypes.addressof(self.cells)
        values = (ctypes.c_uint32 * max(1, len(command.constants)))(*command.constants)
        addresses = [first + 8 * self.places[place] for place in command.pointers]
        addresses += [ctypes.addressof(values) + 4 * i for i in range(len(command.constants))]
        array = (ctypes.c_void_p * max(1, len(addresses)))(*addresses)
        self.names.setdefault("constants", []).append(values)
        return array
