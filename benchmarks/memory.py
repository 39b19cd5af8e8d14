"""How much memory a call takes: eager, Inductor and myjit, each in a process of its own.

Run as `python -m benchmarks.memory [MODEL…]`. Megabytes. `held` is what the process holds after ten calls,
with all that was imported and compiled; `call` is how far one more call rises above that at its highest.
Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

DEFAULT = ("resnet18", "vit-tiny", "bert", "gpt2", "llama", "unet")
RUNNERS = {"eager": "eager", "inductor": "inductor", "myjit": "myjit_mlir"}


def one_call(name: str, backend: str) -> None:
    """Print what this process holds after ten calls of a model, and how much more the next one takes."""
    import gc

    import torch

    from tests.e2e.models import MODELS

    torch.manual_seed(0)
    model, args, kwargs = MODELS[name]()
    model.eval()
    run = torch.compile(model, backend=backend) if backend != "eager" else model
    with torch.no_grad():
        for _ in range(10):
            run(*args, **kwargs)
        gc.collect()
        held = _status("VmRSS")
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the highest mark starts anew
        run(*args, **kwargs)
    print(json.dumps({"held": held, "call": _status("VmHWM") - held}))


def _status(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=DEFAULT)
    parser.add_argument("--one", metavar="BACKEND", help="measure one call in this process")
    args = parser.parse_args()
    if args.one:
        one_call(args.models[0], args.one)
        return
    print(f"{'':14}" + "".join(f"{runner + ' held':>16}{'call':>8}" for runner in RUNNERS))
    for name in args.models:
        cells = ""
        for backend in RUNNERS.values():
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.memory", "--one", backend, name]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            told = json.loads(done.stdout.splitlines()[-1])
            cells += f"{told['held']:16.0f}{told['call']:8.1f}"
        print(f"{name:14}{cells}", flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
