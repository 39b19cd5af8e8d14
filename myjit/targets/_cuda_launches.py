"""Send a program's commands to torch's current stream: nothing waits, neither the host nor the device."""

from __future__ import annotations

import ctypes
import struct
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from myjit.errors import InvokeError, LoadError
from myjit.launches import Call, Command, Copy, Fill, Launch, Launches, Place
from myjit.targets._cuda_driver import Config, Contexts, Kernel, Module, driver
from myjit.targets._cuda_graphs import LEAST, Graphs

if TYPE_CHECKING:
    from myjit.targets._cuda_tuning import Tuning

_lock = threading.Lock()
_modules: weakref.WeakValueDictionary[tuple[int, bytes], Module] = weakref.WeakValueDictionary()

_BODY = """\
def enqueue(slots):
    if current_device() != index:
        with on_device(index):
            return enqueue(slots)
    enter()
    stream = current_stream(index)
{replay}    [{slots}] = slots
    pack(cells, 0, {cells})
    code = send(slots, stream, stream)
    if code:
        raise failure(code)
{note}

def send(slots, stream, owner):
    [{slots}] = slots
    if stream != last[0]:
        for config in configs:
            config.stream = stream
        last[0] = stream
    return {commands}
"""
_REPLAY = """\
    key = (stream, slots)
    graph = find(key)
    if graph is not None and not is_capturing():
        code = replay(graph, stream)
        if code:
            raise failure(code)
        return
"""
_NOTE = """\
    if not is_capturing():
        note(key)
"""


def enqueuer(launches: Launches, index: int, tuning: Tuning | None) -> Callable[[Sequence[int]], None]:
    """Return a function that sends the commands, given the address of each slot. It serves one call at a
    time: the kernels' arguments are kept in one place. With `tuning`, kernels are launched as is fastest.

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
        return _Writer(launches, modules, contexts, index, tuning=tuning).function()


def _module(executable: bytes, index: int) -> Module:
    with _lock:
        module = _modules.get((index, executable))
        if module is None:
            module = _modules[index, executable] = Module.of_executable(executable)
        return module


class _Writer:
    """Writes the function: straight-line code with the arguments of each launch at a place of its own."""

    def __init__(
        self,
        launches: Launches,
        modules: dict[int, Module],
        contexts: Contexts,
        index: int,
        *,
        tuning: Tuning | None,
    ) -> None:
        self.launches = launches
        self.modules = modules
        self.index = index
        self.tuning = tuning
        launched = [c for c in launches.commands if isinstance(c, (Launch, Call))]
        used = {p: None for c in launched for p in c.pointers}
        self.places = {place: i for i, place in enumerate(used)}
        self.cells = (ctypes.c_uint64 * max(1, len(used)))()
        self.configs: list[Config] = []
        self.loaded: list[Any] = []
        self.names: dict[str, Any] = {
            "enter": contexts.enter,
            "modules": modules,
            "copy": driver().copy,
            "launch": driver().launch,
            "cells": self.cells,
            "configs": self.configs,
            "loaded": self.loaded,
            "last": [None],
            "index": index,
            "failure": lambda code: InvokeError(f"a launch failed: {driver().explain(code)}"),
        }

    def function(self) -> Callable[[Sequence[int]], None]:
        import torch

        commands = [self._command(i, c) for i, c in enumerate(self.launches.commands)]
        count = self.launches.arguments + len(self.launches.scratch)
        replays = len(commands) >= LEAST
        source = _BODY.format(
            replay=_REPLAY if replays else "",
            note=_NOTE if replays else "",
            slots="".join(f"s{i}, " for i in range(count)),
            cells=", ".join(self._address(place) for place in self.places) or "0",
            commands=" or ".join(commands) or "0",
        )
        self.names["pack"] = struct.Struct(f"{len(self.cells)}Q").pack_into
        self.names["current_device"] = torch._C._cuda_getDevice
        self.names["current_stream"] = torch._C._cuda_getCurrentRawStream
        self.names["on_device"] = torch.cuda.device
        exec(compile(source, "<myjit launches>", "exec"), self.names)  # noqa: S102 (numbers only)
        if replays:
            graphs = Graphs(self.names["send"])
            self.names["find"], self.names["note"] = graphs.find, graphs.note
            self.names["replay"] = driver().launch_graph
            self.names["is_capturing"] = torch.cuda.is_current_stream_capturing
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
        return self._launch(number, command, kernel)

    def _launch(self, number: int, command: Launch, kernel: Kernel) -> str:
        self.names[f"function{number}"] = kernel.handle
        self.names[f"config{number}"] = self._config(command, kernel)
        self.names[f"arguments{number}"] = self._arguments(command)
        return f"launch(config{number}, function{number}, arguments{number}, None)"

    def _call(self, number: int, command: Call) -> str:
        if command.operation == "convolution":
            from myjit.targets._cuda_convolutions import Convolution

            self.names[f"convolution{number}"] = Convolution(dict(command.numbers), self.index)
            places = ", ".join(self._address(place) for place in command.pointers)
            return f"convolution{number}([{places}], stream, owner)"
        if command.operation != "matmul":
            return self._triton(number, command)
        from myjit.targets._cuda_products import Product

        self.names[f"product{number}"] = Product(dict(command.numbers), self.index)
        left, right, *bias, result = (self._address(place) for place in command.pointers)
        return f"product{number}({left}, {right}, {bias[0] if bias else 0}, {result}, stream, owner)"

    def _triton(self, number: int, command: Call) -> str:
        from myjit.targets._cuda_kernels import LoadedKernel, loaded_kernel

        def load(number: int) -> LoadedKernel:
            return loaded_kernel(command.operation, command.numbers, self.index, number)

        tuning = self.tuning
        chosen = 0 if tuning is None else tuning.fastest(command.operation, dict(command.numbers), load)
        loaded = load(chosen)
        if len(command.pointers) != loaded.pointers:
            raise LoadError(f"the kernel {command.operation} takes {loaded.pointers} pointers")
        self.loaded.append(loaded)
        # Parameters that Triton adds are pointers to memory that these kernels do without: zeros.
        zeros = (0,) * (loaded.added + 1)
        launch = Launch(0, command.operation, loaded.grid, command.pointers, zeros)
        return self._launch(number, launch, loaded.kernel)

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
