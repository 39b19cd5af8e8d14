"""Counters since the last reset: what was compiled, what fell back and why, where the time went."""

from __future__ import annotations

import threading
import weakref
from collections import Counter, defaultdict
from typing import Any, Protocol


class _Tally(Protocol):
    def totals(self) -> tuple[int, int]: ...


class _Counted(Protocol):
    tally: Any


class Statistics:
    """Process-wide counters, safe from several threads. `snapshot` returns plain data."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # the garbage collector may end an executable within each of these
        self._tallies: dict[_Tally, tuple[int, int]] = {}
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
            self._tallies = {tally: tally.totals() for tally in self._tallies}

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
        """Include an executable's own call counters, also when it is gone."""
        with self._lock:
            self._tallies[executable.tally] = (0, 0)
        weakref.finalize(executable, self._fold, executable.tally).atexit = False

    def _fold(self, tally: _Tally) -> None:
        with self._lock:
            before = self._tallies.pop(tally)
            self._add_calls(tally.totals(), before)

    def _add_calls(self, totals: tuple[int, int], before: tuple[int, int]) -> None:
        self._counts["calls"] += totals[0] - before[0]
        self._counts["bytes_copied"] += totals[1] - before[1]

    def snapshot(self) -> dict[str, Any]:
        """Return every counter."""
        with self._lock:
            for tally, before in list(self._tallies.items()):
                self._tallies[tally] = tally.totals()
                self._add_calls(self._tallies[tally], before)
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
                "calls",
                "bytes_copied",
            )
            return {
                **{name: self._counts[name] for name in names},
                "fallback_reasons": dict(self._fallback),
                "by_design_reasons": dict(self._by_design),
                "autotune_choices": dict(self._choices),
                "autotune_parts": dict(self._tuned),
                "compile_seconds": dict(self._seconds),
            }


STATISTICS = Statistics()
