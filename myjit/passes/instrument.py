"""What watches a run of passes: hooks that the runner calls, and the standard ones.

Instruments live here and are called from one place, the runner. A pass never times, prints or checks
itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from myjit.mlir.context import bindings
from myjit.passes.base import NativePass, Pass

if TYPE_CHECKING:
    from myjit.passes.pipeline import Stage


class Instrument:
    """Hooks round passes and stages; the base class does nothing."""

    def before_stages(self, module: Any) -> None:
        """Look at a module before its first stage."""

    def before_pass(self, stage: Stage, item: Pass) -> None:
        """Learn which pass comes next."""

    def after_pass(self, stage: Stage, item: Pass, module: Any, seconds: float) -> None:
        """Look at the module after one pass that took `seconds`."""

    def after_stage(self, stage: Stage, module: Any) -> Any:
        """Return the module to go on with: the same, or another in its place."""
        return module


class VerifyEach(Instrument):
    """Verify the module after each Python pass (MLIR's pass manager does so after its own)."""

    def after_pass(self, stage: Stage, item: Pass, module: Any, seconds: float) -> None:
        """Raise MLIRError, with diagnostics, when the pass has left invalid IR."""
        if not isinstance(item, NativePass) and not module.operation.verify():
            raise bindings(module).ir.MLIRError("the module is not valid after the pass", [])


@dataclass(frozen=True)
class PassTime:
    """How long one pass took."""

    stage: str
    pass_name: str
    seconds: float


class Timing(Instrument):
    """Collect how long each pass takes."""

    def __init__(self) -> None:
        self.passes: list[PassTime] = []

    def after_pass(self, stage: Stage, item: Pass, module: Any, seconds: float) -> None:
        """Note one pass."""
        self.passes.append(PassTime(stage.name, item.name, seconds))

    def table(self) -> str:
        """Return the times as a table, in order of execution, with the total."""
        total = sum(p.seconds for p in self.passes)
        width = max((len(p.pass_name) for p in self.passes), default=5)
        wide = max((len(p.stage) for p in self.passes), default=5)
        lines = [f"{'ms':>9}  {'%':>5}  {'stage':<{wide}}  {'pass':<{width}}"]
        for one in self.passes:
            share = 100 * one.seconds / total if total else 0.0
            lines.append(
                f"{1000 * one.seconds:9.2f}  {share:5.1f}  {one.stage:<{wide}}  {one.pass_name:<{width}}"
            )
        lines.append(f"{1000 * total:9.2f}  100.0  total")
        return "\n".join(line.rstrip() for line in lines)


class Steps(Instrument):
    """Tell a listener each pass before it starts, so that a crash or a time limit has a place."""

    def __init__(self, report: Any) -> None:
        self._report = report

    def before_pass(self, stage: Stage, item: Pass) -> None:
        """Report `stage: pass`."""
        self._report(f"{stage.name}: {item.name}")


def text_of(module: Any) -> str:
    """Return a module as text without locations, ending in one newline."""
    with module.context:  # printing verifies, and a verifier written in Python may want the context
        return f"{str(module.operation).rstrip()}\n"
