"""The first call of a model in a new process: with nothing cached, and with everything cached.

Run as `python -m benchmarks.warm_start [MODEL…]`. Each cell is a process of its own, with cache folders of
its own; the least of `--rounds` counts. `dynamo` is the first call with backend="eager", `trace` with
backend="aot_eager": what Dynamo, and Dynamo and AOTAutograd, take before any compiler starts.
`w/c own` leaves `trace` out of warm and cold, `c/i own` of cold and of Inductor's. `codegen` is the part of
cold in which IREE generates code, in seconds that pass. `--cpu` counts processor seconds, children's too,
which other work on the machine does not change.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.processes import in_process

DEFAULT = ("resnet18", "vit-tiny", "bert", "gpt2", "llama", "unet")


def first_call(name: str, backend: str) -> None:
    """Time the first call in this process, without the imports; print it with what was loaded."""
    import torch
    import torch._dynamo
    import torch._inductor.compile_fx

    import myjit
    from myjit.worker_pool import POOL
    from tests.e2e.models import MODELS

    torch.manual_seed(0)
    model, args, kwargs = MODELS[name]()
    model.eval()
    run = torch.compile(model, backend=backend)
    start, cpu = time.perf_counter(), time.process_time()
    with torch.no_grad():
        run(*args, **kwargs)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    POOL.stop()  # children count when they have ended
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu += used.ru_utime + used.ru_stime
    compilers = [m for m in sys.modules if m.split(".")[0] == "torch_mlir" or m.startswith("iree.compiler")]
    codegen = myjit.stats()["compile_seconds"].get("codegen", 0.0)
    told = {"seconds": seconds, "cpu": cpu, "compilers": len(compilers), "codegen": codegen}
    print(json.dumps(told))


def _one(name: str, backend: str, folder: str) -> dict[str, float]:
    """Run `first_call` in a new process that caches in `folder`."""
    alone = {"TORCHINDUCTOR_COMPILE_THREADS": "1"}
    return in_process("benchmarks.warm_start", "--one", backend, name, folder=folder, **alone)


def row(name: str, rounds: int, measure: str) -> str:
    """Measure one model; return its line of the table."""
    best: dict[str, float] = {}
    imported = 0.0
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            for label, backend in (
                ("dynamo", "eager"),
                ("trace", "aot_eager"),
                ("cold", "myjit_mlir"),
                ("warm", "myjit_mlir"),
                ("inductor cold", "inductor"),
                ("inductor warm", "inductor"),
            ):
                told = _one(name, backend, folder)
                best[label] = min(best.get(label, 1e9), told[measure])
                if label == "cold":
                    best["codegen"] = min(best.get("codegen", 1e9), told["codegen"])
                imported += told["compilers"] if label == "warm" else 0
    if imported:
        raise SystemExit(f"{name}: the warm process imported a compiler")
    own = (best["warm"] - best["trace"]) / (best["cold"] - best["trace"])
    by_inductor = (best["cold"] - best["trace"]) / (best["inductor cold"] - best["trace"])
    cells = "".join(f"{best[k]:>9.2f}" for k in ("dynamo", "trace", "cold", "codegen", "warm"))
    other = f"{best['inductor cold']:>9.2f}{best['inductor warm']:>9.2f}"
    shares = f"{best['warm'] / best['cold']:>9.2f}{max(0.0, own):>9.2f}"
    ratios = f"{best['inductor warm'] / best['inductor cold']:>9.2f}{by_inductor:>9.2f}"
    return f"{name:<18}{cells}{shares}{other}{ratios}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=DEFAULT)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--cpu", action="store_true", help="count processor seconds")
    parser.add_argument("--one", metavar="BACKEND", help="time one first call in this process")
    args = parser.parse_args()
    if args.one:
        first_call(args.models[0], args.one)
        return
    own = ("dynamo", "trace", "cold", "codegen", "warm", "w/c", "w/c own")
    head = (*own, "ind cold", "ind warm", "w/c", "c/i own")
    print(f"{'seconds':<18}" + "".join(f"{h:>9}" for h in head))
    for name in args.models:
        print(row(name, args.rounds, "cpu" if args.cpu else "seconds"), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
