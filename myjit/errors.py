"""The whole exception tree of myjit.

Fallback catches `CompileError` and nothing else; bugs (AssertionError, TypeError) always surface.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True)
class Diagnostic:
    """One message of a compiler stage.

    `nodes` names the FX nodes the message points at, `source` is the user's own line
    (`file:line`), empty where the compiler gave none. `location` is MLIR's own, as it prints it.
    """

    severity: str
    message: str
    nodes: tuple[str, ...] = ()
    source: str = ""
    location: str = field(default="", compare=False)

    def __str__(self) -> str:
        where = f"{self.source}: " if self.source else ""
        return f"{where}{self.severity}: {self.message}"


def first_line(error: BaseException) -> str:
    """Return what an error is, in one line of at most 300 characters."""
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"[:300]


class MyjitError(Exception):
    """Base of every error that myjit raises on purpose. `exit_code` is what the command line ends with."""

    exit_code: ClassVar[int] = 1


class OptionsError(MyjitError, ValueError):
    """An unknown option or a bad value; the message gives the nearest valid one."""

    exit_code = 2


class RegistryError(MyjitError, LookupError):
    """An unknown or duplicate name in a registry; the message gives the nearest valid one."""

    exit_code = 3


class SpecError(MyjitError, ValueError):
    """The text of a pass or a pipeline (spec or TOML) that cannot be read; the message says where."""

    exit_code = 4


class IRError(MyjitError, ValueError):
    """Text or bytecode that is not a valid module."""

    exit_code = 5

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class DiagnosticsMismatchError(MyjitError):
    """`myjit opt --verify-diagnostics` saw other diagnostics than the input expects."""

    exit_code = 6


class CompileError(MyjitError):
    """A graph, or a part of it, could not be compiled.

    `stage` names the step that refused, `diagnostics` are what it said, and `reproducer` is the
    path of a saved input that shows the failure again (empty when none was written).
    """

    exit_code = 7
    stage = "compile"

    def __init__(
        self,
        message: str,
        *,
        stage: str = "",
        diagnostics: tuple[Diagnostic, ...] = (),
        reproducer: str = "",
    ) -> None:
        super().__init__(message)
        self.stage = stage or type(self).stage
        self.diagnostics = diagnostics
        self.reproducer = reproducer

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors cross from the compiler process by pickle, with their keyword fields."""
        state = (self.stage, self.diagnostics, self.reproducer)
        return (_rebuild, (type(self), *self.args, *state))

    @property
    def nodes(self) -> tuple[str, ...]:
        """The FX nodes that the error diagnostics name, in order, without repeats."""
        names = (n for d in self.diagnostics if d.severity == "error" for n in d.nodes)
        return tuple(dict.fromkeys(names))

    def __str__(self) -> str:
        lines = [f"[{self.stage}] {super().__str__()}"]
        lines += [f"  {d}" for d in self.diagnostics[:5]]
        if len(self.diagnostics) > 5:
            lines.append(f"  … and {len(self.diagnostics) - 5} more")
        if self.reproducer:
            lines.append(f"  input saved to {self.reproducer}")
        return "\n".join(lines)


def _rebuild(
    kind: type[CompileError],
    message: str,
    stage: str,
    diagnostics: tuple[Diagnostic, ...],
    reproducer: str,
) -> CompileError:
    return kind(message, stage=stage, diagnostics=diagnostics, reproducer=reproducer)


class UnsupportedGraphError(CompileError):
    """Under `fallback="error"`: parts of the graph would have to run in torch."""

    stage = "partition"


class GraphImportError(CompileError):
    """torch-mlir's importer refused an FX node."""

    stage = "import"


class PassError(CompileError):
    """A pass of the pipeline failed."""

    exit_code = 8
    stage = "lower"


class PassFaultError(PassError):
    """A Python pass failed by itself: it raised, left invalid IR, or did not end in time.

    The graph is not to blame, so no part of it is tried again with the same pass.
    """


class ContractError(PassError):
    """A stage ended with operations that its contract does not allow."""

    exit_code = 9


class CodegenError(CompileError):
    """IREE refused the program, crashed on it, or ran past the time limit.

    A pass raises it, too, to have the program compiled anew: without the pass called `without`, which the
    compiler process reads, or else with safer flags.
    """

    stage = "codegen"
    without = ""


class WorkerCrashError(CodegenError):
    """The compiler process died or was stopped at its time limit; `stage` says where it was.

    `repeats` tells that the program itself ended it, as it would again; `killed`, that somebody else did.
    """

    repeats = False
    killed = False


class TargetUnavailableError(MyjitError):
    """The target cannot be used on this machine; the message says what is missing."""

    exit_code = 10


class LoadError(MyjitError):
    """A compiled artifact could not be loaded by the runtime."""

    exit_code = 11


class ArtifactError(LoadError):
    """A saved artifact is damaged, of another format, or not for this machine or these inputs."""

    exit_code = 12


class CacheError(MyjitError):
    """A cache entry cannot be used; logged, then the program is compiled again."""


class InvokeError(MyjitError):
    """A call of a compiled partition failed at run time."""


class MissingMemoryError(InvokeError):
    """An input has no memory to read: a fake tensor, say, or one whose storage was freed."""


class VerificationError(MyjitError):
    """`verify=True` found a compiled partition whose result differs from eager PyTorch."""


class FallbackWarning(UserWarning):
    """Something runs in torch that could have been compiled; the message says what and why."""
