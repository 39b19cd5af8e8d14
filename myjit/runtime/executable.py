"""A loaded partition: torch tensors in, torch tensors out, nothing copied on the way."""

from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import torch

from myjit.artifact import Artifact
from myjit.errors import InvokeError, MissingMemoryError, MyjitError
from myjit.launches import Launches, is_launches, read
from myjit.runtime.accelerator import keeping_current
from myjit.runtime.call_state import CallState, Weights, copied, export, keep, room, view, written
from myjit.runtime.device import DEVICES, WITHOUT_THREADS, leak
from myjit.runtime.entry import HOST, generate_entry
from myjit.runtime.heap import keep_freed_memory
from myjit.runtime.launch_entry import Enqueue, LaunchState, generate_launch_entry
from myjit.targets.base import Memory

Boxed = Callable[[list[Any]], Sequence[Any]]


class Executable:
    """The one stateful class: an artifact on a device. Handles are made on the first call.

    `call` takes the inputs in signature order, as a list that it empties, and returns the outputs.
    VM contexts are not safe for concurrent calls, so each call takes one out of a pool, which grows
    to as many as ran at once; all share the device and the bytes.

    Imports of host memory are kept by address. `static_inputs` are the inputs that are usually the same
    tensors at each call (parameters): where they are in a device's memory, their imports are kept and checked
    by identity and address, never by content. `on_failure` gets the inputs and the error of a call that
    failed, and answers in its place; without it the error is raised: InvokeError (the compiled code failed:
    an assertion in the program, or no memory) or LoadError (the artifact does not load). Once `on_failure`
    has answered, it answers every later call, unless the call is at fault (MissingMemoryError).
    `place` is the torch device whose tensors it takes and gives; `memory` says whose memory the compiled
    code works in: torch's own, or the device's, `unified` with the host's or `separate` from it. `enqueuer`
    makes, of an artifact that is launches, what sends them to the device.
    """

    def __init__(
        self,
        artifact: Artifact,
        driver: str,
        *,
        place: torch.device = HOST,
        memory: Memory = "torch",
        static_inputs: Sequence[int] = (),
        name: str = "main",
        on_failure: Callable[[list[Any], MyjitError], Sequence[Any]] | None = None,
        enqueuer: Callable[[Launches], Enqueue] | None = None,
    ) -> None:
        self.artifact = artifact
        self.driver = driver
        self.place = place
        self.memory: Memory = memory
        self.name = name
        self._on_failure = on_failure
        self._retired_for: MyjitError | None = None
        self._idle: deque[CallState | LaunchState] = deque()
        self.tally = Tally()
        services = {
            "take": self._idle.pop,
            "give_back": self._idle.append,
            "load": self._load,
            "reload": self._reload,
            "fail": self._fail,
            "lose": self._lose,
            "refuse": self._refuse,
            "copied": copied,
            "view": view,
            "room": room,
            "keep": keep,
            "export": export,
            "written": written,
        }
        self.call: Boxed
        if is_launches(artifact.vmfb):
            assert enqueuer is not None
            launches = read(artifact.vmfb)
            self._make: Callable[[Weights], CallState | LaunchState] = lambda _: LaunchState(
                enqueuer(launches), place
            )
            self.call = generate_launch_entry(artifact.signature, launches, services, place)
        else:
            import iree.runtime as rt

            services["variant_list"] = rt.VmVariantList
            self._make = self._on_iree
            self.call = generate_entry(
                artifact.signature, frozenset(static_inputs), services, place, mirrored=memory != "torch"
            )
        _executables.add(self)

    @property
    def calls(self) -> int:
        """How often it was called with success."""
        return self.tally.totals()[0]

    @property
    def bytes_copied(self) -> int:
        """Bytes of inputs that had to be copied because IREE cannot import them where they are."""
        return self.tally.totals()[1]

    def unload(self) -> None:
        """Free the handles; the next call loads again."""
        while self._idle:
            self.tally.retire(self._idle.pop())

    def leave(self) -> None:
        """Forget, in a forked process, the handles that need threads which only its parent has."""
        if self.driver != WITHOUT_THREADS:
            while self._idle:
                leak(self._idle.pop())

    def _load(self, weights: Weights = ()) -> CallState | LaunchState:
        if self._retired_for is not None:
            raise self._retired_for
        state = self._make(weights)
        self.tally.add(state)
        return state

    def _reload(self, state: CallState, weights: Weights) -> CallState | LaunchState:
        """Replace a state whose weights are no longer these, or no longer the same."""
        self.tally.retire(state)
        return self._load(weights)

    def _on_iree(self, weights: Weights) -> CallState:
        if self.place == HOST:
            keep_freed_memory()
            return CallState(self.artifact, DEVICES.get(self.driver), HOST, weights, self.memory)
        with keeping_current(self.place):
            return CallState(self.artifact, DEVICES.get(self.driver), self.place, weights)

    def _fail(
        self, args: list[Any], state: CallState | LaunchState | None, error: Exception
    ) -> Sequence[Any]:
        if state is not None:
            self.tally.retire(state)
        if isinstance(state, CallState) and not isinstance(error, MissingMemoryError):
            DEVICES.drop(state.device)
            for executable in list(_executables):
                if executable.driver == self.driver:
                    executable.unload()
        if not isinstance(error, MyjitError):
            cause = error
            error = InvokeError(f"partition {self.name} failed at run time: {cause}")
            error.__cause__ = cause
        if self._on_failure is None:
            raise error
        results = self._on_failure(args, error)
        if not isinstance(error, MissingMemoryError):
            self._retired_for = error
        return results

    def _lose(self, state: CallState | LaunchState | None) -> None:
        """Let a state go whose call was interrupted, with Ctrl-C say."""
        if state is not None:
            self.tally.retire(state)

    def _refuse(self, args: list[Any]) -> Sequence[Any]:
        """Answer a call that the part's own check refuses: the arguments are at fault, not the code."""
        reasons = "an index is out of range, a divisor zero, or a loop too long for the device"
        error = InvokeError(f"partition {self.name}: {reasons}")
        if self._on_failure is None:
            raise error
        return self._on_failure(args, error)


_executables: weakref.WeakSet[Executable] = weakref.WeakSet()


def unload_all() -> None:
    """Free every handle of this process, so that IREE's bindings see none left at exit."""
    for executable in list(_executables):
        executable.unload()
    DEVICES.clear()


def _leave_all() -> None:
    for executable in list(_executables):
        executable.leave()
    DEVICES.leave()


os.register_at_fork(after_in_child=_leave_all)


class Tally:
    """How often an executable was called, and what it copied: each state counts for itself."""

    def __init__(self) -> None:
        self._states: set[CallState | LaunchState] = set()
        self._finished = [0, 0]

    def add(self, state: CallState | LaunchState) -> None:
        """Count a state's calls as well."""
        self._states.add(state)

    def retire(self, state: CallState | LaunchState) -> None:
        """Keep what a state has counted, and let it go."""
        self._states.discard(state)
        self._finished[0] += state.calls
        self._finished[1] += state.bytes_copied

    def totals(self) -> tuple[int, int]:
        """Return the calls with success, and the bytes copied."""
        states, (calls, copied) = list(self._states), self._finished
        return calls + sum(s.calls for s in states), copied + sum(s.bytes_copied for s in states)
