"""Save what shows a failure again: the IR before the failing pass, and the command that runs it.

The file's first line is the command. The IR is found by running the passes before the failure once
more on the input, so that runs that do not fail pay nothing.
"""

from __future__ import annotations

import hashlib
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from myjit.mlir.context import new_context, new_iree_context, parse, to_bytecode
from myjit.mlir.native_passes import side_of
from myjit.passes.base import Pass, is_foreign
from myjit.passes.instrument import text_of
from myjit.passes.options import write_options
from myjit.passes.registered import PASSES

if TYPE_CHECKING:
    from myjit.passes.pipeline import Stage


@dataclass(frozen=True)
class Failure:
    """Where a run failed: in pass number `index` of `stage`, or, after the last, in its contract.

    `seconds` is the time limit, where the pass ran past it.
    """

    stage: Stage
    index: int
    seconds: float | None = None

    @property
    def item(self) -> Pass | None:
        """The pass that failed; None for the contract."""
        return self.stage.passes[self.index] if self.index < len(self.stage.passes) else None


def save_reproducer(folder: Path, source: bytes, before: Sequence[Stage], failure: Failure) -> str:
    """Write the file and return its path.

    `source` is the bytecode that the run started from, `before` the stages that it finished.
    """
    module = _replay(source, before, failure)
    text = text_of(module)
    name = failure.item.name if failure.item is not None else f"{failure.stage.name}-contract"
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{digest}.mlir"
    head = "".join(f"// {line}\n" for line in (command(failure, path), *_notes(failure)))
    path.write_text(head + text, encoding="utf-8")
    return str(path)


def command(failure: Failure, path: Path) -> str:
    """Return the command line that shows the failure on the file at `path`."""
    words = ["myjit", "opt"]
    if failure.item is None:
        assert failure.stage.ensures is not None
        words += ["--passes", "", "--ensures", write_options(failure.stage.ensures)]
    else:
        words += _load(failure.item)
        words += ["--passes", failure.item.spec()]
    if failure.seconds is not None:
        words += ["--time-limit", f"{failure.seconds:g}"]
    if side_of(failure.stage.level) == "iree":
        words += ["--level", failure.stage.level]
    return shlex.join([*words, str(path)])


def _load(item: Pass) -> list[str]:
    """Return the flag that loads the file of a pass that no registry would find."""
    kind = type(item)
    if not is_foreign(item) or item.name in PASSES.installed():
        return []
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return ["--load", str(Path(file).resolve())] if file else []


def _notes(failure: Failure) -> list[str]:
    """Say what the command needs that it cannot have."""
    item = failure.item
    if item is None or not is_foreign(item) or item.name in PASSES.installed():
        return []
    if "<locals>" in type(item).__qualname__:
        return [f"The pass is defined inside of a function: move {type(item).__name__} out of it first."]
    return [] if _load(item) else ["The pass is in no file: save it to one, and add --load FILE.py."]


def _replay(source: bytes, before: Sequence[Stage], failure: Failure) -> Any:
    """Run everything before the failure again, on a fresh copy of the input."""
    stages = [*((s, s.passes) for s in before), (failure.stage, failure.stage.passes[: failure.index])]
    side = side_of(stages[0][0].level)
    module = parse(source, new_iree_context() if side == "iree" else new_context())
    for stage, passes in stages:
        if side_of(stage.level) == "iree" != side:
            module = parse(to_bytecode(module), new_iree_context())
            side = "iree"
        with module.context, module.operation.location:
            for item in passes:
                item.run(module)
    return module
