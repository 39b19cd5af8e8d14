"""The steps that a compiled graph runs, one part each, and the schedule that runs them."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch._guards import tracing
from torch.fx import GraphModule, Node

from myjit.errors import FallbackWarning, MissingMemoryError, MyjitError, VerificationError, first_line
from myjit.frontend.extract import Extract
from myjit.runtime.executable import Executable
from myjit.verify import first_difference

log = logging.getLogger(__name__)

#: How many calls of each partition `verify=True` compares.
VERIFIED_CALLS = 3

Boxed = Callable[[list[Any]], Sequence[Any]]


def torch_call(run: Callable[..., Sequence[Any]]) -> Boxed:
    """Return the boxed call of a part that runs in torch, through eager or Inductor."""

    def call(args: list[Any]) -> Sequence[Any]:
        return run(*args)

    return call


def through_inductor(part: Extract) -> Callable[..., Any]:
    """Compile a torch part with Inductor, or leave it to eager where Inductor refuses it too."""
    from torch._inductor.compile_fx import compile_fx_inner

    examples = [n.meta.get("val") for n in part.inputs]
    try:
        with tracing(None):  # else it would take the part's results for those of the whole graph
            compiled = compile_fx_inner(part.module, examples)
    except Exception as error:  # noqa: BLE001 Inductor raises whatever it likes; eager always works
        log.warning("Inductor refuses a part that fell back: %s", first_line(error))
        return part.module
    return lambda *args: compiled(list(args))


class EagerTwin:
    """The torch form of a compiled part: for calls that fail at run time, and for `verify`.

    A failed call is run again in eager. Where the failure is the user's (an index out of range),
    eager raises torch's own error; otherwise the part stays in eager from then on, unless the call alone
    is at fault (fake tensors).
    """

    def __init__(self, eager: GraphModule, ops: str, *, strict: bool) -> None:
        self._eager = eager
        self._ops = ops
        self._strict = strict
        self._warned = False
        self._lock = threading.Lock()
        self._unverified = VERIFIED_CALLS

    def after_failure(self, args: list[Any], error: MyjitError) -> Sequence[Any]:
        """Answer in place of a compiled call that failed."""
        results = self._eager(*args)  # raises torch's own error where the program is at fault
        if self._strict:
            raise error
        if isinstance(error, MissingMemoryError):
            log.info("a call runs in torch: %s", error)
        elif not self._warned:
            self._warned = True
            warnings.warn(f"{error}; it runs in torch from now on", FallbackWarning, stacklevel=2)
        return results

    def verified(self, executable: Executable) -> Boxed:
        """Return the executable's call with its first results compared with eager's.

        Raises (when called):
            VerificationError: they differ, and fallback is an error.
        """
        wrong = False

        def call(args: list[Any]) -> Sequence[Any]:
            nonlocal wrong
            if wrong:
                return self._eager(*args)
            with self._lock:
                compare = self._unverified > 0
                self._unverified -= compare
            if not compare:
                return executable.call(args)
            expected = self._eager(*args)
            difference = first_difference(executable.call(args), expected)
            if not difference:
                return expected
            message = f"partition {executable.name} ({self._ops}) differs from eager: {difference}"
            if self._strict:
                raise VerificationError(message)
            wrong = True
            warnings.warn(f"{message}; it runs in torch from now on", FallbackWarning, stacklevel=2)
            return expected

        return call


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
        run: Callable[[list[Any]], Any] = only.call
    else:
        run = _run_steps(inputs, steps, results)
    vars(run)["_boxed_call"] = True
    return run
