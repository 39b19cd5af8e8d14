"""Measure the suites beside eager and Inductor: `python -m benchmarks [micro|models] [-k TEXT]`.

All of a case's runners take turns in one process, on the same inputs, and each result is compared with
eager's before it is timed. The table shows milliseconds, median (least), and how many times faster myjit
is than eager and than Inductor, by medians; then the geometric means. `--json FILE` keeps everything.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from benchmarks.cases import SUITES, Case
from myjit.timing import RUNNERS, interleaved


def main() -> None:
    """Run the suites that the arguments choose."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suite", nargs="*", choices=[*SUITES, []], help="suites to run (all)")
    parser.add_argument("-k", default="", metavar="TEXT", help="only cases whose name holds this")
    parser.add_argument("--rounds", type=int, default=11, help="rounds of each case (11)")
    parser.add_argument("--runners", default="inductor,myjit", help=f"of {', '.join(RUNNERS)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers here")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for suite in args.suite or SUITES:
        print(
            f"\n{suite}: {platform.processor() or platform.machine()}, {torch.get_num_threads()} threads, ms"
        )
        chosen = {n: c for n, c in SUITES[suite].items() if args.k in n}
        rows += [_measure(suite, n, c, args.runners.split(","), args.rounds) for n, c in chosen.items()]
        _summarise([row for row in rows if row["suite"] == suite])
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


@torch.no_grad()
def _measure(
    suite: str, name: str, build: Callable[[], Case], runners: list[str], rounds: int
) -> dict[str, Any]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    function, arguments = build()
    expected = function(*arguments)
    calls: dict[str, Callable[[], Any]] = {"eager": lambda: function(*arguments)}
    row: dict[str, Any] = {"suite": suite, "case": name, "compile": {}, "ms": {}}
    for runner in runners:
        compiled = torch.compile(function, **RUNNERS[runner])
        start = time.perf_counter()
        result = compiled(*arguments)
        row["compile"][runner] = time.perf_counter() - start
        torch.testing.assert_close(_tensor(result), _tensor(expected), atol=1e-3, rtol=1e-3)
        calls[runner] = lambda compiled=compiled: compiled(*arguments)
    for runner, timing in interleaved(calls, rounds=rounds).items():
        row["ms"][runner] = (timing.median / 1000, timing.least / 1000)
    cells = "  ".join(f"{n} {median:.3f} ({least:.3f})" for n, (median, least) in row["ms"].items())
    against = "  ".join(f"{_ratio(row, n):.2f} × {n}" for n in row["ms"] if n != "myjit")
    print(f"{name:30} {cells}  |  {against}", flush=True)
    return row


def _tensor(result: Any) -> torch.Tensor:
    return result if isinstance(result, torch.Tensor) else result[0]


def _ratio(row: dict[str, Any], runner: str) -> float:
    return row["ms"][runner][0] / row["ms"]["myjit"][0] if "myjit" in row["ms"] else math.nan


def _summarise(rows: list[dict[str, Any]]) -> None:
    if not rows or "myjit" not in rows[0]["ms"]:
        return
    others = [name for name in rows[0]["ms"] if name != "myjit"]
    means = {n: math.exp(sum(math.log(_ratio(r, n)) for r in rows) / len(rows)) for n in others}
    print(f"{'geometric mean':30} " + "  ".join(f"{mean:.2f} × {n}" for n, mean in means.items()))


if __name__ == "__main__":
    main()
