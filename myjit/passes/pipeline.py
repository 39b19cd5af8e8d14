"""A pipeline: the one declared list of everything that happens to a program."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from myjit.errors import RegistryError, SpecError
from myjit.passes.base import Decompositions, Pass
from myjit.passes.contract import Contract
from myjit.passes.fingerprint import Code, code_of
from myjit.passes.options import write_options
from myjit.registry import Registry, did_you_mean

#: Levels inside of IREE's compiler: each runs after the phase that it stands for.
IREE_PHASES = {
    "global": "global-optimization",
    "flow": "flow",
    "dispatch": "executable-configurations",
    "kernel": "executable-targets",
}
LEVELS = ("fx", "torch", "linalg", "iree", *IREE_PHASES)

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")

_HOW = "a pass is an instance of a subclass of myjit.Pass, or such as NativePass('cse')"


@dataclass(frozen=True)
class Stage:
    """Named passes that run together at one level, and what holds after them."""

    name: str
    level: str
    passes: tuple[Pass, ...]
    ensures: Contract | None = None

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise SpecError(
                f"stage {self.name!r}: unknown level {self.level!r}.{did_you_mean(self.level, LEVELS)} "
                f"Levels: {', '.join(LEVELS)}"
            )
        _require_name("stage", self.name)
        strange = [p for p in self.passes if not isinstance(p, Pass)]
        if strange:
            raise SpecError(f"stage {self.name!r} holds {strange[0]!r}, which is no pass: {_HOW}")


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
            raise SpecError(f"pipeline {self.name!r}: stages must follow the levels {', '.join(LEVELS)}")
        _require_name("pipeline", self.name)
        bad = [f for f in (*self.flags, *(f for rung in self.safer_flags for f in rung)) if "\n" in f]
        if bad:
            raise SpecError(f"pipeline {self.name!r}: a flag cannot hold a line break: {bad[0]!r}")
        names = [s.name for s in self.stages]
        if len(set(names)) != len(names):
            raise SpecError(f"pipeline {self.name!r} names a stage twice: {', '.join(names)}")

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

    def holds(self, name: str) -> bool:
        """Tell whether a pass called `name` is in it."""
        return any(p.name == name for stage in self.stages for p in stage.passes)

    def with_option(self, key: str, value: object) -> Pipeline:
        """Set one option, written `pass-name.option`, on every pass of that name."""
        name, dot, option = key.partition(".")
        self._require_pass(name)
        if not dot:
            raise SpecError(f"{key!r} names no option: write {name}.option")
        field = option.replace("-", "_")
        for item in (p for s in self.stages for p in s.passes if p.name == name):
            known = [f.name for f in dataclasses.fields(item)]
            if field not in known:
                raise SpecError(f"pass {name!r} has no option {option!r}.{did_you_mean(field, known)}")
            _require_like(f"option {key!r}", value, getattr(item, field))
        return self._edit(
            lambda s: tuple(replace(p, **{field: value}) if p.name == name else p for p in s.passes)
        )

    def with_flags(self, *flags: str) -> Pipeline:
        """Append codegen flags."""
        return replace(self, flags=self.flags + flags)

    def only(self, *levels: str) -> Pipeline:
        """Keep the stages of `levels`, and the flags."""
        return replace(self, stages=tuple(s for s in self.stages if s.level in levels))

    def plain(self) -> Pipeline:
        """Leave out what is there for speed only."""
        return self._edit(lambda s: tuple(p for p in s.passes if not p.IS_TUNING))

    def spec(self) -> str:
        """Return the whole pipeline as text, one stage a line; `parse_pipeline` reads it back."""
        lines = [f"pipeline {self.name}"]
        for stage in self.stages:
            lines.append(f"{stage.level} {stage.name}: {', '.join(p.spec() for p in stage.passes)}".rstrip())
            if stage.ensures is not None:
                lines.append(f"  ensures {write_options(stage.ensures)}")
        lines.append(f"flags: {shlex.join(self.flags)}".rstrip())
        lines += [f"safer-flags: {shlex.join(flags)}".rstrip() for flags in self.safer_flags]
        return "\n".join(lines)

    def fingerprint(self) -> str:
        """Hash the spec (with flags, safer flags and contracts) and the code of every Python pass."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        codes = [code.digest for code in self._codes]
        return hashlib.sha256("\0".join([self.spec(), *codes]).encode()).hexdigest()

    @property
    def is_describable(self) -> bool:
        """Whether the fingerprint tells everything that the passes depend on, so that results may be kept."""
        return all(code.complete for code in self._codes)

    @cached_property
    def _codes(self) -> tuple[Code, ...]:
        return tuple(code_of(type(p)) for s in self.stages for p in s.passes)

    def __getstate__(self) -> dict[str, object]:
        """Leave the fingerprint behind: another process computes its own, of the code it has."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    def _insert(self, name: str, new: Stage | Pass, *, offset: int) -> Pipeline:
        index = self._index(name)
        if not isinstance(new, Stage | Pass):
            raise SpecError(f"{new!r} is neither a stage nor a pass: {_HOW}")
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


def _require_like(what: str, value: object, given: object) -> None:
    """Take a value for an option only where it is of the kind of the one that it replaces."""
    kinds = (int, float) if type(given) is float else (type(given),)
    if given is not None and type(value) not in kinds:
        raise SpecError(f"{what} is {given!r}, a {type(given).__name__}: it cannot become {value!r}")


def _require_name(kind: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise SpecError(f"{name!r} cannot name a {kind}: letters, digits, '-', '_' and '.' only")


PIPELINES: Registry[Pipeline] = Registry(
    "pipeline", "myjit.pipelines", "PIPELINE", "myjit.pipelines", Pipeline
)
