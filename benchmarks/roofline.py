"""How far each case of the micro suite is from what the machine can do.

Run as `python -m benchmarks.roofline [--rounds N]`. The limit of a case is the longer of two times, measured
in the same run: its multiplications and additions at the speed of the fastest product, torch's or ours, and
its inputs, weights and results at the speed of a copy of as many bytes. With it comes what torch.compile
takes for a call of any backend. `at best` is Inductor's time over both: what no backend can pass. Arithmetic
outside of products is not counted, so that limits of exponentials and the like are lower than the machine's.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count

from benchmarks.__main__ import machine
from benchmarks.cases import MICRO
from benchmarks.silence import only_fallbacks
from myjit.timing import RUNNERS, interleaved

_SIZES = (512, 768, 1024, 1536)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    only_fallbacks()
    torch.set_grad_enabled(False)
    speed, call = _flops_a_microsecond(rounds), _call(rounds)
    print(f"{machine()}: {speed / 1000:.0f} GFLOP/s, a call of torch.compile {call:.0f} µs\n")
    print(
        "| | MFLOP | MB | limit, µs | by | eager | Inductor | myjit | × limit and call | at best × Inductor |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    shares, bests = [], []
    for name, build in MICRO.items():
        torch._dynamo.reset()
        torch.manual_seed(0)
        function, inputs = build()
        flops, size = _work(function, inputs)
        copied = _copy(size, rounds)
        limit, by = max((flops / speed, "products"), (copied, "memory"))
        calls: dict[str, Callable[[], Any]] = {"eager": lambda f=function, i=inputs: f(*i)}
        for runner in ("inductor", "myjit"):
            compiled = torch.compile(function, **RUNNERS[runner])
            calls[runner] = lambda f=compiled, i=inputs: f(*i)
        took = {n: t.median for n, t in interleaved(calls, rounds=rounds).items()}
        shares.append(took["myjit"] / (limit + call))
        bests.append(took["inductor"] / (limit + call))
        times = " | ".join(f"{t:.0f}" for t in took.values())
        work = f"{flops / 1e6:.1f} | {size / 1e6:.2f} | {limit:.0f} | {by}"
        print(f"| {name} | {work} | {times} | {shares[-1]:.2f} | {bests[-1]:.2f} |", flush=True)
    print(f"| geometric mean | | | | | | | | {_mean(shares):.2f} | {_mean(bests):.2f} |")


def _work(function: Any, inputs: tuple[Any, ...]) -> tuple[int, int]:
    """Return how many operations products take, and the bytes that go in, out, or are weights."""
    on_the_cpu = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _attention}
    with FlopCounterMode(display=False, custom_mapping=on_the_cpu) as counter:
        results = function(*inputs)
    read = [t for t in inputs if isinstance(t, torch.Tensor)]
    if isinstance(function, nn.Module) and not isinstance(
        function, nn.Embedding
    ):  # of which few rows are read
        read += list(function.parameters())
    return counter.get_total_flops(), sum(t.nbytes for t in (*read, *tree_leaves(results)))


def _attention(query: Any, key: Any, value: Any, *_: Any, **__: Any) -> int:
    return sdpa_flop_count(query, key, value)


def _flops_a_microsecond(rounds: int) -> float:
    compiled, fastest = torch.compile(torch.mm, **RUNNERS["myjit"]), 0.0
    for n in _SIZES:
        a = torch.randn(n, n)
        calls = {"eager": lambda a=a: a @ a, "myjit": lambda a=a: compiled(a, a)}
        took = min(each.least for each in interleaved(calls, rounds=rounds).values())
        fastest = max(fastest, 2 * n**3 / took)
    return fastest


def _copy(size: int, rounds: int) -> float:
    """Return the microseconds in which `size` bytes are read or written."""
    source, target = torch.randn(max(1, size // 8)), torch.empty(max(1, size // 8))
    return interleaved({"copy": lambda: target.copy_(source)}, rounds=rounds)["copy"].least


def _call(rounds: int) -> float:
    """Return what torch.compile adds to a call, with the backend that compiles nothing."""
    x = torch.randn(4)
    calls = {"eager": x.abs, "compiled": lambda: compiled(x)}
    compiled = torch.compile(lambda x: x.abs(), backend="eager")
    took = interleaved(calls, rounds=rounds)
    return took["compiled"].median - took["eager"].median


def _mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


if __name__ == "__main__":
    main()
