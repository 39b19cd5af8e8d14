"""Run the fastest of several ways to compute the same, chosen on the first call with its own inputs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.fx import GraphModule

from myjit.counters import STATISTICS
from myjit.frontend.aot_metadata import written_inputs
from myjit.timing import PAUSE_SECONDS

log = logging.getLogger(__name__)

#: Rounds at most, and the seconds after which no new round starts.
ROUNDS, SECONDS = 7, 1.0
#: Calls in a row are timed together until they take this long, or are this many.
ROW_SECONDS, ROW_CALLS = 2e-3, 20
#: Another way than the usual has to take less than this of its time: the rest is noise.
MARGIN = 0.95

Call = Callable[..., Any]


def _plainly(way: Call, args: tuple[Any, ...]) -> Any:
    return way(*args)


def may_repeat(graph: GraphModule) -> bool:
    """Tell whether running the graph that is being compiled twice is as good as once.

    Not so where it draws random numbers, writes into its inputs, or holds operators that torch does not
    define itself, since those may do anything.
    """
    written = written_inputs()
    if written is None or written:
        return False
    for node in graph.graph.nodes:
        if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
            if isinstance(node.target, torch._ops.HigherOrderOperator):
                return False
            continue
        if node.target.namespace not in ("aten", "prims") or node.target._schema.is_mutable:
            return False
        if torch.Tag.nondeterministic_seeded in node.target.tags:
            return False
    return True


def fastest(
    ways: Mapping[str, Call],
    *,
    trial: Callable[[Call, tuple[Any, ...]], Any] = _plainly,
    chose: Callable[[str], None] = STATISTICS.add_choice,
) -> Call:
    """Return a function that times `ways` on its first call and is the fastest of them from then on.

    The first is the usual one, which another has to undercut by a twentieth. `trial` calls one of them with
    the call's arguments and leaves these as they are; `chose` is told the name of the fastest.
    """
    lock = threading.Lock()
    left = dict(ways)
    chosen: list[Call] = []

    def run(*args: Any) -> Any:
        if not chosen:
            with lock:
                if not chosen:
                    best = _fastest(left, args, trial)
                    chosen.append(left[best])
                    left.clear()
                    chose(best)
        return chosen[0](*args)

    return run


def _wait() -> None:
    """Wait for what was sent to a GPU: sending it is not what takes the time."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _fastest(
    ways: Mapping[str, Call], args: tuple[Any, ...], trial: Callable[[Call, tuple[Any, ...]], Any]
) -> str:
    """Time each way in turn, as it runs after itself; return the name of the one with the least time."""
    least = dict.fromkeys(ways, float("inf"))
    for way in ways.values():
        trial(way, args)  # the first call loads, and times what is inside of it
    end = time.perf_counter() + SECONDS
    for _ in range(ROUNDS):
        for name, way in ways.items():
            time.sleep(PAUSE_SECONDS)
            took = _seconds(trial, way, args, 1)
            many = min(ROW_CALLS, int(ROW_SECONDS / took) + 1)
            least[name] = min(least[name], _seconds(trial, way, args, many))
        if time.perf_counter() > end:
            break
    usual, best = next(iter(ways)), min(least, key=lambda name: least[name])
    best = best if least[best] < MARGIN * least[usual] else usual
    log.info("autotune chose %s: %s", best, ", ".join(f"{n} {1e3 * s:.3f} ms" for n, s in least.items()))
    return best


def _seconds(
    trial: Callable[[Call, tuple[Any, ...]], Any], way: Call, args: tuple[Any, ...], many: int
) -> float:
    """Return what one of `many` calls in a row takes."""
    start = time.perf_counter()
    for _ in range(many):
        trial(way, args)
    _wait()
    return (time.perf_counter() - start) / many
