"""Time several calls side by side: interleaved rounds, medians and minima."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from myjit.errors import OptionsError

#: Seconds that one round of one call should take, so that the clock does not show.
ROUND_SECONDS = 0.02

#: Seconds between rounds: OpenMP's threads spin for some milliseconds after their last work, on a core that
#: the next call could use.
PAUSE_SECONDS = 0.03


#: What torch.compile is called with, beside eager.
RUNNERS: dict[str, Mapping[str, Any]] = {
    "dynamo alone": {"backend": "eager"},
    "inductor": {"backend": "inductor"},
    "inductor frozen": {"backend": "inductor", "options": {"freezing": True}},
    "iree-turbine": {"backend": "iree_turbine"},
    "myjit": {"backend": "myjit_mlir"},
    "myjit frozen": {"backend": "myjit_mlir", "options": {"freeze": True}},
    "myjit tuned": {"backend": "myjit_mlir", "mode": "max-autotune"},
}


@dataclass(frozen=True)
class Timing:
    """Microseconds a call, over rounds."""

    median: float
    least: float


def interleaved(
    calls: Mapping[str, Callable[[], Any]],
    *,
    rounds: int = 11,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Timing]:
    """Call each in turn, round by round; return the time of one call in microseconds.

    `clock` gives seconds: on the wall by default, or `time.process_time` for those of the processor.
    """
    repeats = {name: _repeats(call, clock) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            time.sleep(PAUSE_SECONDS)
            call()
            start = clock()
            for _ in range(repeats[name]):
                call()
            times[name].append((clock() - start) / repeats[name] * 1e6)
    return {name: Timing(statistics.median(t), min(t)) for name, t in times.items()}


def _repeats(call: Callable[[], Any], clock: Callable[[], float]) -> int:
    call()
    start = clock()
    call()
    return max(1, int(ROUND_SECONDS / (clock() - start)))


def forward_only(model: Any, function: Callable[..., Any], inputs: Sequence[Any]) -> Callable[[], Any]:
    """Return a function that runs `function`, a model or what was compiled of it, without gradients."""
    import torch

    def call() -> Any:
        with torch.no_grad():
            return function(*inputs)

    return call


def training_step(model: Any, function: Callable[..., Any], inputs: Sequence[Any]) -> Callable[[], Any]:
    """Return a function that computes the gradients of the sum of the outputs, by parameter of `model`.

    Raises (when called):
        OptionsError: no output has a gradient.
    """
    from torch.utils._pytree import tree_leaves

    def call() -> Any:
        model.zero_grad()
        outputs = [o for o in tree_leaves(function(*inputs)) if o is not None and o.requires_grad]
        if not outputs:
            raise OptionsError("there is nothing to train: no result has a gradient")
        sum(o.float().sum() for o in outputs).backward()
        return {name: p.grad for name, p in model.named_parameters() if p.grad is not None}

    return call
