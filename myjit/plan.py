"""The plan of a graph: which parts are compiled, which run in torch, and why; printable."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from myjit.frontend.support import Rejection


@dataclass(frozen=True)
class PartSummary:
    """One step of a plan: its ops with counts, its inputs, and the seconds its compile took."""

    compiled: bool
    ops: tuple[tuple[str, int], ...]
    inputs: tuple[str, ...]
    driver: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        kind = f"compiled for {self.driver}" if self.compiled else "torch"
        ops = ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in self.ops)
        head = f"{kind}: {sum(c for _, c in self.ops)} ops, {len(self.inputs)} inputs"
        return f"{head} [{', '.join(self.inputs[:8])}{' …' if len(self.inputs) > 8 else ''}]: {ops}"


@dataclass
class GraphPlan:
    """What became of one graph that AOTAutograd handed over (`role`: inference, forward, backward)."""

    role: str
    parts: list[PartSummary] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    @property
    def ops_compiled(self) -> int:
        """Number of ops in compiled parts."""
        return sum(count for p in self.parts if p.compiled for _, count in p.ops)

    @property
    def fallbacks(self) -> list[Rejection]:
        """The rejections that are a lack of support, not by design."""
        return [r for r in self.rejections if not r.reason.by_design]

    @property
    def coverage(self) -> float:
        """Share of ops that are compiled, from 0 to 1, of those that do not belong in torch by design."""
        total = self.ops_compiled + len(self.fallbacks)
        return self.ops_compiled / total if total else 1.0

    def __str__(self) -> str:
        percent = 100 * self.coverage
        lines = [f"{self.role} graph: {self.ops_compiled} ops compiled ({percent:.1f} %)"]
        lines += [f"  part {i}: {part}" for i, part in enumerate(self.parts)]
        counted = Counter((r.op, r.reason.value, r.detail, r.source) for r in self.rejections)
        for (op, reason, detail, source), count in counted.most_common():
            where = f" at {source}" if source else ""
            extra = f" ({detail})" if detail else ""
            lines.append(f"  in torch: {op} ×{count}: {reason}{extra}{where}")
        return "\n".join(lines)
