"""Where a partition runs best: on the calling thread (local-sync) or on IREE's task system (local-task).

Run as `python -m benchmarks.driver_choice`. The rule in `myjit/targets/cpu.py` comes from this table.
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
    print(f"{'':<18}{'sync µs (median, min)':>26}{'task µs (median, min)':>26}  chosen by the rule")
    for name, function, args in cases():
        calls: dict[str, Callable[[], Any]] = {}
        for device in ("sync", "task", "auto"):
            torch._dynamo.reset()
            run = torch.compile(function, backend="myjit_mlir", options={"device": device})
            run(*args)
            calls[device] = lambda run=run, args=args: run(*args)
        plan = _driver(function, args)
        table = interleaved(calls)
        columns = "".join(f"{table[d].median:>16.1f}{table[d].least:>10.1f}" for d in ("sync", "task"))
        print(f"{name:<18}{columns}  {plan}")


def _driver(function: Callable[..., Any], args: tuple[torch.Tensor, ...]) -> str:
    import myjit

    report = myjit.explain(function, *args, show=False)
    return report.graphs[0].parts[0].driver


if __name__ == "__main__":
    with torch.no_grad():
        main()
