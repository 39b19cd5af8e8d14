"""Compile a model of many partitions with one compiler process, and with one a core.

Run as `python -m benchmarks.parallel_compile`. Rounds are interleaved; processes are started before.
"""

from __future__ import annotations

import os
import time
from itertools import pairwise

import torch
from torch import nn

import myjit
from myjit.worker_pool import POOL

PARTS = 8


class ManyParts(nn.Module):
    """Layers of different sizes with an op between them that is left to torch, so each is a partition."""

    def __init__(self) -> None:
        super().__init__()
        sizes = [32 + 8 * n for n in range(PARTS + 1)]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = nn.functional.gelu(layer(x)).tanh()
        return x


def seconds(workers: int) -> float:
    """Compile once and return how long it took."""
    torch._dynamo.reset()
    myjit.reset()
    options = {"workers": workers, "cache": False, "torch_executed_ops": ["aten.tanh"]}
    run = torch.compile(ManyParts(), backend="myjit_mlir", options=options)
    start = time.perf_counter()
    with torch.no_grad():
        run(torch.randn(4, 32))
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    cores = len(os.sched_getaffinity(0))
    counts = (1, cores)
    took: dict[int, list[float]] = {n: [] for n in counts}
    for round_number in range(4):
        for workers in counts:
            found = seconds(workers)
            if round_number:  # the first one starts the processes
                took[workers].append(found)
    for workers in counts:
        print(f"{workers} processes: {min(took[workers]):.2f} s for {PARTS} partitions")
    POOL.stop()


if __name__ == "__main__":
    main()
