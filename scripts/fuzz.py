"""Compile random programs, compare them with eager, and print the smallest form of each that differs.

    python scripts/fuzz.py --seeds 0:500 --dynamic

A program that ends its process, or takes too long, is named as well: each seed runs in a process that is
replaced when it dies.
"""

from __future__ import annotations

import argparse
import faulthandler
import logging
import multiprocessing
import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "e2e"))


def main() -> int:
    """Run the command line; return 1 if a program was wrong, or failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", default="0:100", help="from:to (default 0:100)")
    parser.add_argument("--smooth", action="store_true", help="smooth functions, in place of whole numbers")
    parser.add_argument("--mixed", action="store_true", help="whole numbers of all types, and truth values")
    parser.add_argument("--wide", action="store_true", help="rows of several vectors")
    parser.add_argument("--tiny", action="store_true", help="sizes of 1 above all")
    parser.add_argument("--convolutions", action="store_true", help="many convolutions")
    parser.add_argument("--few", action="store_true", help="few kinds of lines, again and again")
    parser.add_argument("--dynamic", action="store_true", help="three calls, of sizes that change")
    parser.add_argument("--gradients", action="store_true", help="compare gradients as well")
    parser.add_argument("--device", default="cpu", help="where the tensors are (default cpu)")
    parser.add_argument("--target", default="auto", help="what is compiled for (default: by the tensors)")
    parser.add_argument("--repeats", type=int, default=1, help="calls with the same inputs (default 1)")
    parser.add_argument("--limit", type=float, default=120, help="seconds a program may take (default 120)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    args = parser.parse_args()
    first, last = (int(each) for each in args.seeds.split(":"))
    tally: Counter[str] = Counter()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as cache:
        os.environ |= {"MYJIT_CACHE_DIR": cache, "MYJIT_PLACEMENT": "compiled"}
        pool = _pool()
        for seed in range(first, last):
            if time.monotonic() - begun > args.seconds:
                break
            try:
                verdict, report = pool.submit(_check, seed, args).result()
            except BrokenProcessPool:
                pool, verdict, report = _pool(), "died", f"the process died, or took over {args.limit:g} s"
            tally[verdict] += 1
            if report:
                print(f"=== seed {seed} {verdict}: {report}", flush=True)
        pool.shutdown()
    print(dict(tally), f"{time.monotonic() - begun:.0f} s")
    return int(bool(set(tally) - {"right", "refused"}))


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


def _check(seed: int, args: argparse.Namespace) -> tuple[str, str]:
    """Return what became of a seed's program, and a report if it did not go well."""
    import random_programs

    warnings.simplefilter("ignore")
    logging.getLogger("torch").setLevel(logging.CRITICAL)
    calls = 3 if args.dynamic else 1
    program = random_programs.generate(
        seed,
        smooth=args.smooth,
        mixed=args.mixed,
        wide=args.wide,
        convolutions=args.convolutions,
        few=args.few,
        tiny=args.tiny,
        calls=calls,
    )
    verdict, detail = _run(program, args)
    if verdict == "right":
        return verdict, ""
    shrinking = True
    while shrinking:
        shrinking = False
        for smaller in program.smaller():
            found, message = _run(smaller, args)
            if found == verdict:
                program, detail, shrinking = smaller, message, True
                break
    shapes = ", ".join(f"{list(v.shape)} {v.dtype}" for v in program.calls[0].values())
    return verdict, f"{detail}\n{program.source}of {shapes}\n"


def _run(program: Any, args: argparse.Namespace) -> tuple[str, str]:
    import program_checks
    import torch

    from myjit.frontend import verdicts

    verdicts.forget()  # of the program that this one is a smaller form of
    faulthandler.dump_traceback_later(args.limit, exit=True)
    function = program.function()
    torch._dynamo.reset()
    options = {"fallback": "error", "target": args.target}
    run = torch.compile(function, backend="myjit_mlir", dynamic=args.dynamic, options=options)
    form = {"smooth": args.smooth, "gradients": args.gradients, "device": args.device}
    try:
        program_checks.difference(function, function, program.calls, **form)
    except (RuntimeError, IndexError, ValueError, TypeError):
        return "right", ""  # no program at all: a smaller one, or one whose gradients torch does not have
    try:
        found = program_checks.difference(function, run, program.calls, **form, repeats=args.repeats)
    except Exception as error:  # noqa: BLE001 (of any kind: that is what is looked for)
        text = " ".join(str(error).split())[:400]
        return ("refused" if "these ops are not compiled" in text else "failed"), text
    return ("wrong", found) if found else ("right", "")


if __name__ == "__main__":
    sys.exit(main())
