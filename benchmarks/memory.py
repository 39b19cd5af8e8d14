"""How much memory a call takes: eager, Inductor and myjit, each in a process of its own.

Run as `python -m benchmarks.memory [-k TEXT]`. Megabytes. `held` is what the process holds after ten calls,
with what is free given back, and with all that was imported and compiled; `call` is how far the next calls
rise above that at their highest. `cold` compiles, `warm` is the next process, which finds it in the cache.
Linux with glibc only.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import tempfile
from pathlib import Path

import torch

from benchmarks.cases import MODELS
from benchmarks.processes import in_process
from myjit.timing import RUNNERS, forward_only

COMPILED = ("inductor", "myjit")


def calls(name: str, runner: str) -> None:
    """Print what this process holds after ten calls of a model, and how much more the next ones take."""
    torch.manual_seed(0)
    model, arguments = MODELS[name]()
    compiled = model if runner == "eager" else torch.compile(model, **RUNNERS[runner])
    call = forward_only(model, compiled, arguments)
    for _ in range(10):
        call()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    held = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the highest mark starts anew
    for _ in range(3):
        call()
    print(json.dumps({"held": held, "call": _status("VmHWM") - held}))


def _status(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", default="", metavar="TEXT", help="only models whose name holds this")
    parser.add_argument("--one", metavar="RUNNER", help="measure one model in this process")
    args = parser.parse_args()
    if args.one:
        calls(args.k, args.one)
        return
    heads = ["eager", *(f"{runner} {state}" for runner in COMPILED for state in ("cold", "warm"))]
    print(f"{'':24}" + "".join(f"{head:>14}{'call':>7}" for head in heads))
    for name in (n for n in MODELS if args.k in n):
        with tempfile.TemporaryDirectory() as folder:
            told = [_one(name, head.split()[0], folder) for head in heads]
        cells = "".join(f"{one['held']:14.0f}{one['call']:7.1f}" for one in told)
        print(f"{name:24}{cells}", flush=True)


def _one(name: str, runner: str, folder: str) -> dict[str, float]:
    return in_process("benchmarks.memory", "--one", runner, "-k", name, folder=folder)


if __name__ == "__main__":
    main()
