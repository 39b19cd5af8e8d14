"""Replay a program's commands as one CUDA graph, where a call's addresses are those of an earlier one.

The same commands on the same addresses are the same work, so a replay needs no copy and no promise about
memory: what torch's allocator gives again and again is recognised by its address. Sending a kernel costs the
host some microseconds, a graph of any size about as much as two of them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from myjit.errors import InvokeError
from myjit.targets._cuda_driver import driver

#: Fewer commands than this are sent singly.
LEAST = 4
_MOST_GRAPHS = 8
#: After so many captures the addresses count as never the same.
_MOST_CAPTURES = 64
_MOST_SEEN = 256
_RELAXED, _NON_BLOCKING = 2, 1

Key = tuple[int, tuple[int, ...]]


class Graphs:
    """The graphs of one program, by stream and addresses: captured when a call comes for the second time."""

    def __init__(self, send: Callable[[tuple[int, ...], int, int], int]) -> None:
        self._send = send
        self._graphs: dict[Key, ctypes.c_void_p] = {}
        self._seen: set[Key] = set()
        self._left = _MOST_CAPTURES
        self.find = self._graphs.get

    def note(self, key: Key) -> None:
        """Remember a call that was sent command by command; capture it where it came before."""
        if not self._left:
            return
        if key not in self._seen:
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            self._seen.add(key)
            return
        self._left -= 1
        graph = self._capture(*key)
        if graph is None:
            self._left = 0
            return
        if len(self._graphs) >= _MOST_GRAPHS:
            self._destroy(self._graphs.pop(next(iter(self._graphs))))
        self._graphs[key] = graph

    def _capture(self, owner: int, slots: tuple[int, ...]) -> ctypes.c_void_p | None:
        """Record the commands of a call that was just sent on the stream `owner`; None where CUDA refuses."""
        library = driver().library
        stream, graph, ready = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        if library.cuStreamCreate(ctypes.byref(stream), _NON_BLOCKING):
            return None
        try:
            if library.cuStreamBeginCapture_v2(stream, _RELAXED):
                return None
            failed = self._sent(slots, stream.value or 0, owner)
            failed = library.cuStreamEndCapture(stream, ctypes.byref(graph)) or failed
            failed = failed or library.cuGraphInstantiateWithFlags(
                ctypes.byref(ready), graph, ctypes.c_ulonglong(0)
            )
            if graph.value:
                library.cuGraphDestroy(graph)
            return None if failed else ready
        finally:
            library.cuStreamDestroy_v2(stream)

    def _sent(self, slots: tuple[int, ...], stream: int, owner: int) -> int:
        try:
            return self._send(slots, stream, owner)
        except InvokeError:
            return -1

    @staticmethod
    def _destroy(graph: ctypes.c_void_p) -> None:
        driver().library.cuGraphExecDestroy(graph)  # one under way goes when it has ended

    def __del__(self) -> None:
        for graph in self._graphs.values():
            self._destroy(graph)
