"""The cost of calling a tiny compiled graph, beside eager, Dynamo alone and Inductor.

Run as `python -m benchmarks.overhead`. Rounds are interleaved; medians and minima are of rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from myjit.timing import interleaved


def tiny(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Three ops on a few numbers: all that can be seen is the way there and back."""
    return torch.relu(x @ y) + 1


def main() -> None:
    """Print the table."""
    x, y = torch.randn(4, 8), torch.randn(8, 4)
    functions: dict[str, Callable[..., Any]] = {"eager": tiny}
    for backend in ("eager", "inductor", "myjit_mlir"):
        functions[f"backend={backend}"] = torch.compile(tiny, backend=backend)
    with torch.no_grad():
        for function in functions.values():
            torch.testing.assert_close(function(x, y), tiny(x, y))
        table = interleaved({n: (lambda f=f: f(x, y)) for n, f in functions.items()})
    base = table["backend=eager"]
    print(f"{'':<20}{'median µs':>10}{'minimum µs':>12}{'× backend=eager (median, minimum)':>36}")
    for name, took in table.items():
        ratios = f"{took.median / base.median:>26.2f}{took.least / base.least:>10.2f}"
        print(f"{name:<20}{took.median:>10.1f}{took.least:>12.1f}{ratios}")


if __name__ == "__main__":
    main()
