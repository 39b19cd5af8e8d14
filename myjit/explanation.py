"""Show what becomes of a model: which ops are compiled, which run in torch, and why."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from myjit.backend import myjit_mlir
from myjit.compile import plan_listeners
from myjit.counters import STATISTICS
from myjit.plan import GraphPlan


@dataclass
class Explanation:
    """The plans of every graph that one call of a model made, in order of compilation."""

    graphs: list[GraphPlan] = field(default_factory=list)
    recompiles: int = 0

    @property
    def ops_compiled(self) -> int:
        """Number of ops in compiled parts, over all graphs."""
        return sum(g.ops_compiled for g in self.graphs)

    @property
    def coverage(self) -> float:
        """Share of ops that are compiled, from 0 to 1, of those that do not belong in torch by design."""
        total = self.ops_compiled + sum(len(g.fallbacks) for g in self.graphs)
        return self.ops_compiled / total if total else 1.0

    def __str__(self) -> str:
        head = f"{len(self.graphs)} graphs, {100 * self.coverage:.1f} % of ops compiled"
        if self.recompiles:
            head += f", {self.recompiles} recompiles"
        return "\n".join([head, *map(str, self.graphs)])


def explain(
    model: Callable[..., Any],
    *args: Any,
    options: Mapping[str, Any] | None = None,
    show: bool = True,
    **kwargs: Any,
) -> Explanation:
    """Compile and call `model` once; print and return the plan.

    `options` are torch.compile's `options=`; `show=False` prints nothing. Dynamo's caches are reset
    first, so that a model compiled before is explained again.
    """
    result = Explanation()
    torch._dynamo.reset()
    before = STATISTICS.snapshot()["recompiles"]
    plan_listeners.append(result.graphs.append)
    try:
        torch.compile(model, backend=myjit_mlir, options=dict(options or {}))(*args, **kwargs)
    finally:
        plan_listeners.pop()
        result.recompiles = STATISTICS.snapshot()["recompiles"] - before
    if show:
        sys.stdout.write(f"{result}\n")
    return result
