"""Counters since the last reset: what was compiled, what fell back and why, where the time went."""

from __future__ import annotations

import threading
import weakref
from collections import Counter, defaultdict
from typing import Any, Protocol


class _Counted(Protocol):
    @property
    def calls(self) -> int: ...

    @property
    def bytes_copied(self) -> int: ...


class Statistics:
    """Process-wide counters, safe from several threads. `snapshot` returns plain data."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._executables: weakref.WeakSet[Any] = weakref.WeakSet()
        self.clear()

    def clear(self) -> None:
        """Set every counter to zero."""
        with self._lock:
            self._counts: Counter[str] = Counter()
            self._fallback: Counter[str] = Counter()
            self._by_design: Counter[str] = Counter()
            self._choices: Counter[str] = Counter()
            self._tuned: Counter[str] = Counter()
            self._seconds: defaultdict[str, float] = defaultdict(float)
            self._baseline = {id(e): (e.calls, e.bytes_copied) for e in self._executables}

    def add(self, name: str, amount: int = 1) -> None:
        """Add to a counter."""
        with self._lock:
            self._counts[name] += amount

    def add_in_torch(self, reason: str, *, by_design: bool) -> None:
        """Count an op that runs in torch, by reason: for lack of support, or because it belongs there."""
        with self._lock:
            (self._by_design if by_design else self._fallback)[reason] += 1

    def add_seconds(self, stage: str, seconds: float) -> None:
        """Add compile time to a stage."""
        with self._lock:
            self._seconds[stage] += seconds

    def add_choice(self, name: str) -> None:
        """Count a graph by what autotuning chose for it."""
        with self._lock:
            self._choices[name] += 1

    def add_tuned(self, way: str) -> None:
        """Count a part by the way to run it that autotuning chose."""
        with self._lock:
            self._tuned[way] += 1

    def watch(self, executable: _Counted) -> None:
        """Include an executable's own call counters."""
        with self._lock:
            self._executables.add(executable)

    def snapshot(self) -> dict[str, Any]:
        """Return every counter."""
        with self._lock:
            calls = copied = 0
            for executable in self._executables:
                before = self._baseline.get(id(executable), (0, 0))
                calls += executable.calls - before[0]
                copied += executable.bytes_copied - before[1]
            names = (
                "graphs",
                "partitions",
                "ops_compiled",
                "ops_fallback",
                "ops_by_design",
                "recompiles",
                "safer_flags",
                "cache_hits",
                "cache_misses",
            )
            return {
                **{name: self._counts[name] for name in names},
                "calls": calls,
                "bytes_copied": copied,
                "fallback_reasons": dict(self._fallback),
                "by_design_reasons": dict(self._by_design),
                "autotune_choices": dict(self._choices),
                "autotune_parts": dict(self._tuned),
                "compile_seconds": dict(self._seconds),
            }


STATISTICS = Statistics()
