"""Read a pipeline from the text that `Pipeline.spec()` writes."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field, replace

from myjit.errors import MyjitError, SpecError
from myjit.passes.contract import Contract
from myjit.passes.options import read_options
from myjit.passes.pipeline import Pipeline, Stage
from myjit.passes.spec import parse_passes

_STAGE = re.compile(r"(\S+) ([^\s:]+):(.*)")


@dataclass
class _Draft:
    """What has been read so far."""

    name: str = ""
    stages: list[Stage] = field(default_factory=list)
    flags: tuple[str, ...] = ()
    safer: list[tuple[str, ...]] = field(default_factory=list)


def parse_pipeline(text: str) -> Pipeline:
    """Read a pipeline; blank lines and lines that start with `#` do not count.

    Raises:
        SpecError: naming the line that cannot be read.
    """
    draft = _Draft()
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                _read_line(draft, line.strip())
            except (MyjitError, ValueError) as error:
                raise SpecError(f"line {number}: {error}") from error
    if not draft.name:
        raise SpecError("a pipeline's text starts with the line `pipeline <name>`")
    return Pipeline(draft.name, tuple(draft.stages), draft.flags, tuple(draft.safer))


def _read_line(draft: _Draft, line: str) -> None:
    word, _, rest = line.partition(" ")
    stage = _STAGE.fullmatch(line)
    if word == "pipeline":
        draft.name = rest.strip()
    elif word == "flags:":
        draft.flags = tuple(shlex.split(rest))
    elif word == "safer-flags:":
        draft.safer.append(tuple(shlex.split(rest)))
    elif word == "ensures":
        if not draft.stages:
            raise SpecError("`ensures` belongs below a stage")
        contract = read_options(Contract, rest, "a contract")
        draft.stages[-1] = replace(draft.stages[-1], ensures=contract)
    elif stage is not None:
        level, name, passes = stage.groups()
        empty = Stage(name, level, ())  # checks the level before the names of its passes
        draft.stages.append(replace(empty, passes=parse_passes(passes, level)))
    else:
        raise SpecError(f"expected `<level> <stage>: passes`, `ensures …` or `flags: …`, not {line[:60]!r}")
