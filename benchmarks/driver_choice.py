"""Where a partition runs best: on the calling thread, on IREE's task system, or on torch's threads (auto).

Run as `python -m benchmarks.driver_choice`. The rule in `myjit/targets/cpu.py`, for programs that run without
torch's threads, comes from the first two columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from myjit.timing import interleaved

Case = tuple[str, Callable[..., Any], tuple[torch.Tensor, ...]]


def cases() -> Iterator[Case]:
    """Yield programs around the size at which a second core begins to pay."""
    for n in (32, 64, 128, 192, 256, 384):
        yield f"matmul {n}", lambda a, b: a @ b, (torch.randn(n, n), torch.randn(n, n))
    for n in (10_000, 50_000, 200_000, 1_000_000):
        yield f"pointwise {n}", lambda a: torch.sigmoid(a) * a, (torch.randn(n),)
    for n in (64, 256, 1024):
        yield f"softmax {n} x {n}", lambda a: torch.softmax(a, -1), (torch.randn(n, n),)


def main() -> None:
    """Print the table."""
    ways = ("sync", "task", "auto")
    print(f"{'':<18}" + "".join(f"{f'{way} µs (median, min)':>26}" for way in ways))
    for name, function, args in cases():
        calls: dict[str, Callable[[], Any]] = {}
        for device in ways:
            torch._dynamo.reset()
            run = torch.compile(function, backend="myjit_mlir", options={"device": device})
            run(*args)
            calls[device] = lambda run=run, args=args: run(*args)
        table = interleaved(calls)
        print(f"{name:<18}" + "".join(f"{table[way].median:>16.1f}{table[way].least:>10.1f}" for way in ways))


if __name__ == "__main__":
    with torch.no_grad():
        main()
