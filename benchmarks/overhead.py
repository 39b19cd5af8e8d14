"""The cost of calling a tiny compiled graph, beside eager, Dynamo alone and Inductor.

Run as `python -m benchmarks.overhead`. Rounds are interleaved; medians and minima are of rounds.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

ROUNDS = 15
CALLS = 2000


def tiny(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Three ops on a few numbers: all that can be seen is the way there and back."""
    return torch.relu(x @ y) + 1


def measure(calls: dict[str, Callable[[], Any]]) -> dict[str, tuple[float, float]]:
    """Return the median and the minimum of a call in microseconds, rounds interleaved."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(CALLS):
                call()
            times[name].append((time.perf_counter() - start) / CALLS * 1e6)
    return {name: (statistics.median(t), min(t)) for name, t in times.items()}


def main() -> None:
    """Print the table."""
    x, y = torch.randn(4, 8), torch.randn(8, 4)
    functions: dict[str, Callable[..., Any]] = {"eager": tiny}
    for backend in ("eager", "inductor", "myjit_mlir"):
        functions[f"backend={backend}"] = torch.compile(tiny, backend=backend)
    with torch.no_grad():
        for function in functions.values():
            torch.testing.assert_close(function(x, y), tiny(x, y))
        table = measure({n: (lambda f=f: f(x, y)) for n, f in functions.items()})
    base = table["backend=eager"]
    print(f"{'':<20}{'median µs':>10}{'minimum µs':>12}{'× backend=eager (median, minimum)':>36}")
    for name, (median, least) in table.items():
        print(f"{name:<20}{median:>10.1f}{least:>12.1f}{median / base[0]:>26.2f}{least / base[1]:>10.2f}")


if __name__ == "__main__":
    main()
