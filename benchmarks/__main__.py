"""Measure the suites beside eager and Inductor: `python -m benchmarks [SUITE…] [-k TEXT]`.

All of a case's runners take turns in one process, on the same inputs, and each result is compared with
eager's before it is timed. The table shows milliseconds, median (least), and how many times faster myjit
is than eager and than Inductor, by medians; then the geometric means. `--json FILE` keeps everything.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from benchmarks.cases import SUITES, Case
from benchmarks.silence import only_fallbacks
from myjit.timing import RUNNERS, forward_only, interleaved, training_step


def main() -> None:
    """Run the suites that the arguments choose."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suite", nargs="*", choices=[*SUITES, []], help="suites to run (all)")
    parser.add_argument("-k", default="", metavar="TEXT", help="only cases whose name holds this")
    parser.add_argument("--rounds", type=int, default=11, help="rounds of each case (11)")
    parser.add_argument("--runners", default="inductor,myjit", help=f"of {', '.join(RUNNERS)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers here")
    args = parser.parse_args()
    only_fallbacks()
    runners = args.runners.split(",")
    unknown = [runner for runner in runners if runner not in RUNNERS]
    if unknown:
        parser.error(f"no runner {unknown[0]!r}: of {', '.join(RUNNERS)}")
    rows = []
    for suite in args.suite or SUITES:
        print(f"\n{suite}: {machine()}, ms")
        chosen = {n: c for n, c in SUITES[suite].items() if args.k in n}
        rows += [_measure(suite, n, c, runners, args.rounds) for n, c in chosen.items()]
        _summarise([row for row in rows if row["suite"] == suite], runners)
    if args.json:
        command = shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])
        told = {"machine": machine(), "command": command, "rows": rows}
        args.json.write_text(json.dumps(told, indent=1), encoding="utf-8")
    if any(runner.startswith("myjit") for row in rows for runner in row["failed"]):
        sys.exit(1)


def machine() -> str:
    """Describe the processor, how many threads compute, and the versions of what is measured."""
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):  # not Linux, or a processor that does not tell
        pass
    return f"{processor}, {torch.get_num_threads()} threads, torch {torch.__version__}"


def _measure(
    suite: str, name: str, build: Callable[[], Case], runners: list[str], rounds: int
) -> dict[str, Any]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    function, arguments = build()
    step = training_step if suite == "training" else forward_only
    calls: dict[str, Callable[[], Any]] = {"eager": step(function, function, arguments)}
    expected = _leaves(calls["eager"]())
    row: dict[str, Any] = {"suite": suite, "case": name, "compile": {}, "ms": {}, "failed": {}}
    for runner in runners:
        start = time.perf_counter()
        try:
            call = step(function, torch.compile(function, **RUNNERS[runner]), arguments)
            _compare(suite, _leaves(call()), expected)
        except Exception as error:  # noqa: BLE001 (of any compiler; the table says so)
            row["failed"][runner] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            continue
        row["compile"][runner] = time.perf_counter() - start
        calls[runner] = call
    for runner, timing in interleaved(calls, rounds=rounds).items():
        row["ms"][runner] = (timing.median / 1000, timing.least / 1000)
    cells = "  ".join(f"{n} {median:.3f} ({least:.3f})" for n, (median, least) in row["ms"].items())
    own = [n for n in row["ms"] if n.startswith("myjit")]
    against = "  ".join(f"{_ratio(row, n, own[0]):.2f} × {n}" for n in row["ms"] if own and n != own[0])
    failed = "".join(f"  {n} fails: {why[:70]}" for n, why in row["failed"].items())
    print(f"{name:30} {cells}  |  {against}{failed}", flush=True)
    return row


def _compare(suite: str, actual: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    """Compare each element of what float32 gives; gradients and bfloat16 all together, by their norm.

    A gradient that is zero but for rounding says nothing by itself.
    """
    if suite in ("micro", "ops", "models"):
        torch.testing.assert_close(actual, expected, atol=1e-3, rtol=1e-3)
        return
    pairs = zip(actual, expected, strict=True)
    wrong = math.hypot(*((a.float() - e.float()).norm().item() for a, e in pairs))
    error = wrong / math.hypot(*(e.float().norm().item() for e in expected))
    if not error < (5e-2 if suite == "bfloat16" else 1e-3):
        raise ValueError(f"differs from eager by {error:.1e}")


def _leaves(result: Any) -> list[torch.Tensor]:
    return [leaf.detach() for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)]


def _ratio(row: dict[str, Any], runner: str, own: str) -> float:
    return row["ms"][runner][0] / row["ms"][own][0]


def _summarise(rows: list[dict[str, Any]], runners: list[str]) -> None:
    """Print the geometric means, of the cases that both run, for each way of running myjit."""
    for own in (n for n in runners if n.startswith("myjit")):
        cells = []
        for other in ("eager", *(n for n in runners if n != own)):
            both = [row for row in rows if own in row["ms"] and other in row["ms"]]
            if both:
                mean = math.exp(sum(math.log(_ratio(row, other, own)) for row in both) / len(both))
                some = "" if len(both) == len(rows) else f" (of {len(both)} cases)"
                cells.append(f"{mean:.2f} × {other}{some}")
        print(f"{own + ', geometric mean':30} " + "  ".join(cells))


if __name__ == "__main__":
    main()
