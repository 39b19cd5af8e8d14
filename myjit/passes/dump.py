"""Write the IR between passes to numbered files, and read edited files back in.

`03-torch-to-linalg.mlir` is the module after the third dump, `03-torch-to-linalg.diff` what changed
since the second. The same file names, in another folder, override: dump, edit, run again.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from myjit.errors import IRError
from myjit.mlir.context import parse
from myjit.passes.base import Pass
from myjit.passes.instrument import Instrument, text_of

if TYPE_CHECKING:
    from myjit.passes.pipeline import Stage

#: When to write: after each stage, after each pass, or after each pass that changed something.
DumpWhen = Literal["stage", "pass", "changed"]


class Dump(Instrument):
    """Write the module to `folder`, each file with a unified diff to the one before."""

    def __init__(self, folder: Path, when: DumpWhen = "stage") -> None:
        self._folder = folder
        self._when = when
        self._count = 0
        self._last = ""
        folder.mkdir(parents=True, exist_ok=True)

    def before_stages(self, module: Any) -> None:
        """Write the input, once."""
        if not self._count:
            self._write("input", text_of(module))

    def after_pass(self, stage: Stage, item: Pass, module: Any, seconds: float) -> None:
        """Write after a pass, where passes are wanted."""
        if self._when == "stage":
            return
        text = text_of(module)
        if self._when == "pass" or text != self._last:
            self._write(f"{stage.name}-{item.name}", text)

    def after_stage(self, stage: Stage, module: Any) -> Any:
        """Write after a stage, where stages are wanted."""
        if self._when == "stage":
            self._write(stage.name, text_of(module))
        return module

    def _write(self, name: str, text: str) -> None:
        stem = f"{self._count:02d}-{name}"
        (self._folder / f"{stem}.mlir").write_text(text, encoding="utf-8")
        if self._count:
            before, after = self._last.splitlines(keepends=True), text.splitlines(keepends=True)
            diff = difflib.unified_diff(before, after, "before", name)
            (self._folder / f"{stem}.diff").write_text("".join(diff), encoding="utf-8")
        self._count += 1
        self._last = text


class Override(Instrument):
    """Replace the module after a stage by a file of `folder`, `<stage>.mlir` or `<number>-<stage>.mlir`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def after_stage(self, stage: Stage, module: Any) -> Any:
        """Return the file's module where there is one.

        Raises:
            IRError: the file is no valid module, or two files override the stage.
        """
        numbered = self._folder.glob(f"[0-9]*-{stage.name}.mlir")
        named = [p for p in numbered if p.stem.partition("-")[2] == stage.name]
        plain = self._folder / f"{stage.name}.mlir"
        found = [*named, *([plain] if plain.is_file() else [])]
        if not found:
            return module
        if len(found) > 1:
            raise IRError(f"{found[0]} and {found[1]} both override stage {stage.name!r}")
        try:
            return parse(found[0].read_text(encoding="utf-8"), module.context)
        except IRError as error:
            raise IRError(f"{found[0]}: {error}", error.diagnostics) from error
