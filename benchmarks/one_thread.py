"""Compare the CPU's pipeline with and without a stage by processor time on one thread, beside Inductor.

Run as `OMP_NUM_THREADS=1 python -m benchmarks.one_thread STAGE SUITE [-k TEXT]`; a STAGE is `libraries`.
Microseconds a call, median (least) of interleaved rounds. Processor time leaves out what other guests of
the host take, which on two threads can double the time on the clock.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch

from benchmarks.__main__ import machine
from benchmarks.cases import SUITES
from myjit.passes.pipeline import PIPELINES
from myjit.timing import forward_only

ROUNDS = 9


def main() -> None:
    """Print a line a case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage")
    parser.add_argument("suite", choices=[name for name in SUITES if name != "training"])
    parser.add_argument("-k", default="", metavar="TEXT", help="only cases whose name holds this")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    pipeline = PIPELINES.get("cpu")
    ways: dict[str, dict[str, Any]] = {
        "inductor": {},
        f"without {args.stage}": _ours(pipeline.without(args.stage)),
        f"with {args.stage}": _ours(pipeline),
    }
    print(machine())
    for name, build in SUITES[args.suite].items():
        if args.k in name:
            function, inputs = build()
            calls = {"eager": forward_only(function, function, inputs)}
            for way, settings in ways.items():
                torch._dynamo.reset()
                calls[way] = forward_only(function, torch.compile(function, **settings), inputs)
                calls[way]()
            print(
                f"{name:<30}", "  ".join(f"{way} {text}" for way, text in _times(calls).items()), flush=True
            )


def _ours(pipeline: Any) -> dict[str, Any]:
    return {"backend": "myjit_mlir", "options": {"pipeline": pipeline, "device": "sync"}}


def _times(calls: dict[str, Callable[[], Any]]) -> dict[str, str]:
    times: dict[str, list[float]] = {way: [] for way in calls}
    for _ in range(ROUNDS):
        for way, call in calls.items():
            call()
            start, repeats = time.process_time(), 0
            while time.process_time() - start < 0.02:
                call()
                repeats += 1
            times[way].append((time.process_time() - start) / repeats * 1e6)
    return {way: f"{statistics.median(t):.0f} ({min(t):.0f})" for way, t in times.items()}


if __name__ == "__main__":
    main()
