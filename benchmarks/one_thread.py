"""Compare the CPU's pipeline with and without a stage by processor time on one thread, beside Inductor.

Run as `OMP_NUM_THREADS=1 python -m benchmarks.one_thread STAGE SUITE [-k TEXT]`; a STAGE is `libraries`, say.
Microseconds a call, median (least) of interleaved rounds. Processor time leaves out what other guests of
the host take, which on two threads can double the time on the clock.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import torch

from benchmarks.__main__ import machine
from benchmarks.cases import SUITES
from benchmarks.silence import only_fallbacks
from myjit.passes.pipeline import PIPELINES
from myjit.timing import forward_only, interleaved

ROUNDS = 9


def main() -> None:
    """Print a line a case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage")
    parser.add_argument("suite", choices=[name for name in SUITES if name != "training"])
    parser.add_argument("-k", default="", metavar="TEXT", help="only cases whose name holds this")
    args = parser.parse_args()
    only_fallbacks()
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
            times = interleaved(calls, rounds=ROUNDS, clock=time.process_time)
            columns = "  ".join(f"{way} {t.median:.0f} ({t.least:.0f})" for way, t in times.items())
            print(f"{name:<30}", columns, flush=True)


def _ours(pipeline: Any) -> dict[str, Any]:
    return {"backend": "myjit_mlir", "options": {"pipeline": pipeline}}


if __name__ == "__main__":
    main()
