"""The steps that a compiled graph runs, one part each, and the schedule that runs them."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch.fx import GraphModule, Node

from myjit.errors import FallbackWarning, InvokeError, VerificationError
from myjit.runtime.executable import Executable
from myjit.verify import first_difference

log = logging.getLogger(__name__)

#: How many calls of each partition `verify=True` compares.
VERIFIED_CALLS = 3

Boxed = Callable[[list[Any]], Sequence[Any]]


class TorchStep:
    """A part that runs in torch, through eager or Inductor."""

    def __init__(self, run: Callable[..., Sequence[Any]]) -> None:
        self._run = run

    def __call__(self, args: list[Any]) -> Sequence[Any]:
        """Run the part on its inputs."""
        return self._run(*args)


class CompiledStep:
    """A compiled part with eager behind it, for calls that fail at run time and for `verify`.

    A failed call is run again in eager. Where the failure is the user's (an index out of range),
    eager raises torch's own error; otherwise the part stays in eager from then on.
    """

    def __init__(
        self, executable: Executable, eager: GraphModule, ops: str, *, verify: bool, strict: bool
    ) -> None:
        self.executable = executable
        self._eager = eager
        self._ops = ops
        self._strict = strict
        self._unverified = VERIFIED_CALLS if verify else 0
        self._lock = threading.Lock()
        self._broken = False

    def __call__(self, args: list[Any]) -> Sequence[Any]:
        """Call the executable; `args` is emptied."""
        if self._broken:
            return self._eager(*args)
        if self._unverified:
            return self._verified(args)
        again = list(args)
        try:
            return self.executable(args)
        except InvokeError as error:
            return self._after_failure(again, error)

    def _after_failure(self, args: list[Any], error: InvokeError) -> Sequence[Any]:
        results = self._eager(*args)  # raises torch's own error where the program is at fault
        if self._strict:
            raise error
        self._broken = True
        warnings.warn(f"{error}; it runs in torch from now on", FallbackWarning, stacklevel=2)
        return results

    def _verified(self, args: list[Any]) -> Sequence[Any]:
        with self._lock:
            self._unverified = max(0, self._unverified - 1)
        expected = self._eager(*args)
        difference = first_difference(self.executable(args), expected)
        if not difference:
            return expected
        message = f"partition {self.executable.name} ({self._ops}) differs from eager: {difference}"
        if self._strict:
            raise VerificationError(message)
        self._broken = True
        warnings.warn(f"{message}; it runs in torch from now on", FallbackWarning, stacklevel=2)
        return expected


@dataclass(frozen=True)
class Step:
    """One part in a schedule: what to call, on which values, to make which values."""

    call: Boxed
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]


def _run_steps(
    inputs: Sequence[Node], steps: Sequence[Step], results: Sequence[Any]
) -> Callable[[list[Any]], Any]:
    """Return a function that runs steps over numbered slots, dropping each value after its last use."""
    slots = {node: i for i, node in enumerate(inputs)}
    last: dict[Node, int] = {}
    for index, step in enumerate(steps):
        for node in step.outputs:
            slots[node] = len(slots)
        last.update(dict.fromkeys(step.inputs, index))
    returned = {r for r in results if isinstance(r, Node)}
    empty = [None] * (len(slots) - len(inputs))
    program = [
        (
            step.call,
            tuple(slots[n] for n in step.inputs),
            tuple(slots[n] for n in step.outputs),
            tuple(slots[n] for n in step.inputs if last[n] == i and n not in returned),
        )
        for i, step in enumerate(steps)
    ]
    places = [(slots[r], None) if isinstance(r, Node) else (-1, r) for r in results]

    def run(args: list[Any]) -> list[Any]:
        values = args + empty
        args.clear()
        for call, sources, targets, dead in program:
            arguments = [values[i] for i in sources]
            for slot in dead:
                values[slot] = None
            for slot, value in zip(targets, call(arguments), strict=True):
                values[slot] = value
        return [values[slot] if slot >= 0 else constant for slot, constant in places]

    return run


def constant_step(gm: GraphModule, nodes: Sequence[Node], read: Callable[[GraphModule, Node], Any]) -> Step:
    """Make the step that brings the graph's own constants into slots."""
    values = tuple(read(gm, n) for n in nodes)
    return Step(lambda args: values, (), tuple(nodes))


def schedule(
    inputs: Sequence[Node], steps: Sequence[Step], results: Sequence[Any]
) -> Callable[[list[Any]], Any]:
    """Return the function that runs `steps` on a graph's inputs, in AOTAutograd's boxed convention.

    In the common case one step takes the inputs and gives the results, as they are.
    """
    only = steps[0] if len(steps) == 1 else None
    if only is not None and only.inputs == tuple(inputs) and only.outputs == tuple(results):
        run = _run_one(only.call)
    else:
        run = _run_steps(inputs, steps, results)
    vars(run)["_boxed_call"] = True
    return run


def _run_one(call: Boxed) -> Callable[[list[Any]], Any]:
    def run(args: list[Any]) -> Any:
        return call(args)

    return run
