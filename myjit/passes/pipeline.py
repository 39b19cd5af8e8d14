"""A pipeline: the one declared list of everything that happens to a program."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace

from myjit.errors import RegistryError
from myjit.passes.base import Decompositions, Pass
from myjit.passes.contract import Contract
from myjit.registry import Registry, did_you_mean

LEVELS = ("fx", "torch", "linalg", "iree")


@dataclass(frozen=True)
class Stage:
    """Named passes that run together at one level, and what holds after them."""

    name: str
    level: str
    passes: tuple[Pass, ...]
    ensures: Contract | None = None

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise RegistryError(f"stage {self.name!r}: unknown level {self.level!r}, one of {LEVELS}")


@dataclass(frozen=True)
class Pipeline:
    """Stages in order, then the codegen flags. Immutable: every edit returns a new pipeline.

    `flags` go to IREE's compiler. `safer_flags` are tried one after the other, each instead of
    nothing, when codegen refuses the program with `flags` alone: they cost speed, not the partition.
    """

    name: str
    stages: tuple[Stage, ...]
    flags: tuple[str, ...] = ()
    safer_flags: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        order = [LEVELS.index(s.level) for s in self.stages]
        if order != sorted(order):
            raise RegistryError(f"pipeline {self.name!r}: stages must follow the levels {LEVELS}")
        names = [s.name for s in self.stages]
        if len(set(names)) != len(names):
            raise RegistryError(f"pipeline {self.name!r} names a stage twice: {names}")

    def level(self, level: str) -> tuple[Stage, ...]:
        """Return the stages of one level, in order."""
        return tuple(s for s in self.stages if s.level == level)

    def decompositions(self) -> Decompositions:
        """Return the decomposition table's declaration (an empty table when none is declared)."""
        for stage in self.level("fx"):
            for item in stage.passes:
                if isinstance(item, Decompositions):
                    return item
        return Decompositions(base="none")

    def before(self, name: str, new: Stage | Pass) -> Pipeline:
        """Insert a stage (or a pass as a stage of its own) before the stage `name`."""
        return self._insert(name, new, offset=0)

    def after(self, name: str, new: Stage | Pass) -> Pipeline:
        """Insert a stage (or a pass as a stage of its own) after the stage `name`."""
        return self._insert(name, new, offset=1)

    def without(self, name: str) -> Pipeline:
        """Drop the stage `name`, or every pass called `name`."""
        if any(s.name == name for s in self.stages):
            return replace(self, stages=tuple(s for s in self.stages if s.name != name))
        self._require_pass(name)
        return self._edit(lambda s: tuple(p for p in s.passes if p.name != name))

    def with_option(self, key: str, value: object) -> Pipeline:
        """Set one option, written `pass-name.option`, on every pass of that name."""
        name, _, option = key.partition(".")
        self._require_pass(name)
        field = option.replace("-", "_")
        return self._edit(
            lambda s: tuple(replace(p, **{field: value}) if p.name == name else p for p in s.passes)
        )

    def with_flags(self, *flags: str) -> Pipeline:
        """Append codegen flags."""
        return replace(self, flags=self.flags + flags)

    def spec(self) -> str:
        """Return the whole pipeline as text, one stage a line, flags last."""
        lines = [f"{s.level} {s.name}: {', '.join(p.spec() for p in s.passes)}" for s in self.stages]
        return "\n".join([*lines, "flags: " + " ".join(self.flags)])

    def fingerprint(self) -> str:
        """Hash the spec, the ladder of flags and the source of every Python pass."""
        sources = [inspect.getsource(type(p)) for s in self.stages for p in s.passes]
        text = "\0".join([self.spec(), repr(self.safer_flags), *sources])
        return hashlib.sha256(text.encode()).hexdigest()

    def _insert(self, name: str, new: Stage | Pass, *, offset: int) -> Pipeline:
        index = self._index(name)
        if isinstance(new, Pass):
            new = Stage(new.name, self.stages[index].level, (new,))
        stages = list(self.stages)
        stages.insert(index + offset, new)
        return replace(self, stages=tuple(stages))

    def _index(self, name: str) -> int:
        names = [s.name for s in self.stages]
        if name not in names:
            raise RegistryError(
                f"pipeline {self.name!r} has no stage {name!r}.{did_you_mean(name, names)} Stages: {names}"
            )
        return names.index(name)

    def _require_pass(self, name: str) -> None:
        names = [p.name for s in self.stages for p in s.passes]
        if name not in names:
            raise RegistryError(f"pipeline {self.name!r} has no pass {name!r}.{did_you_mean(name, names)}")

    def _edit(self, passes_of: Callable[[Stage], tuple[Pass, ...]]) -> Pipeline:
        return replace(self, stages=tuple(replace(s, passes=passes_of(s)) for s in self.stages))


PIPELINES: Registry[Pipeline] = Registry("pipeline", "myjit.pipelines", "PIPELINE", "myjit.pipelines")
