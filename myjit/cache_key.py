"""The key of a cached artifact: named parts, so that a miss can be explained."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

_SHOWN = 60


@dataclass(frozen=True)
class CacheKey:
    """Everything that a cached result depends on, by name, in order of name."""

    parts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, parts: Mapping[str, str]) -> CacheKey:
        """Build a key; the order of `parts` does not matter."""
        return cls(tuple(sorted(parts.items())))

    @cached_property
    def digest(self) -> str:
        """The hash that names the entry."""
        return hashlib.sha256(json.dumps(self.parts).encode()).hexdigest()

    def differences(self, other: CacheKey) -> tuple[str, ...]:
        """Name the parts that differ."""
        mine, others = dict(self.parts), dict(other.parts)
        return tuple(n for n in sorted({*mine, *others}) if mine.get(n) != others.get(n))

    def explain(self, other: CacheKey) -> str:
        """Say why this key misses the entry of `other`, part by part."""
        mine, others = dict(self.parts), dict(other.parts)
        found = [
            f"{name}: {_short(mine.get(name))} is not {_short(others.get(name))}"
            for name in self.differences(other)
        ]
        return f"missed because {'; '.join(found)}" if found else "the keys are the same"


def _short(value: str | None) -> str:
    if value is None:
        return "absent"
    return value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
