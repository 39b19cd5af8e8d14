"""The one reader of `options=`, `mode=` and the MYJIT_* environment variables."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from myjit.errors import OptionsError
from myjit.registry import did_you_mean

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}

#: An op as FX graphs name it: its namespace, its name and, if given, its overload.
_OP = re.compile(r"(?!torch\.)\w+\.\w+(\.\w+)?")

#: What each value of torch.compile's `mode=` stands for, as option settings.
MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "reduce-overhead": {"device": "auto"},
    "max-autotune": {"autotune": True, "freeze": True},
    "max-autotune-no-cudagraphs": {"autotune": True, "freeze": True},
}


def _option(
    default: Any, doc: str, *, choices: tuple[str, ...] = (), key: bool = True, least: float = 0
) -> Any:
    return field(default=default, metadata={"doc": doc, "choices": choices, "key": key, "least": least})


@dataclass(frozen=True)
class CompileOptions:
    """Everything a user can set, validated. `CompileOptions.parse` builds one.

    A field leaves the cache key only through its own metadata (`key=False`).
    """

    target: str = _option("auto", "What to compile for; 'auto' follows the inputs' device.")
    pipeline: Any = _option(
        "auto", "A pipeline's name, a Pipeline or a TOML file; 'auto' is the target's own."
    )
    fallback: str = _option(
        "eager",
        "Where rejected parts run: 'eager' or 'inductor'; 'error' raises instead.",
        choices=("eager", "inductor", "error"),
        key=False,
    )
    min_partition_ops: int = _option(
        1, "Partitions with fewer compute ops than this run in torch.", key=False
    )
    torch_executed_ops: tuple[str, ...] = _option(
        (), "Ops always left to torch, such as 'aten.mm' or 'aten.mm.default'.", key=False
    )
    placement: str = _option(
        "auto",
        "What runs where: 'auto' leaves ops to torch that its libraries run faster on the target, "
        "'compiled' compiles everything that can be.",
        choices=("auto", "compiled"),
        key=False,
    )
    device: str = _option(
        "auto",
        "CPU: 'auto' (torch's threads), 'sync' (the calling thread), or 'task' (IREE's own threads).",
        choices=("auto", "sync", "task"),
        key=False,
    )
    autotune: bool = _option(
        False,
        "On the first call, time the ways to run each part (cores, pipeline, torch), then inference graphs "
        "against eager; keep the fastest.",
        key=False,
    )
    freeze: bool = _option(
        False,
        "In inference, pack weights once, when compiled code is loaded, and again after they changed. Edits "
        "in place through `.data` go unseen.",
        key=False,
    )
    verify: bool = _option(False, "Compare the first calls of each partition with eager PyTorch.", key=False)
    compile_timeout: float = _option(
        600.0,
        "Seconds that one partition may take to compile before it is left to torch.",
        key=False,
    )
    workers: int = _option(
        -1,
        "Compiler processes at most; -1 is one a core, up to four; 0 compiles in this process, where a "
        "crash of the compiler is yours and the time limit does not hold.",
        key=False,
        least=-1,
    )
    cache: bool = _option(True, "Keep compiled code on disk for later processes.", key=False)
    cache_dir: str = _option("", "Folder of the disk cache; empty is the user's own.", key=False)
    cache_size: int = _option(2048, "Megabytes that the disk cache may take.", key=False)
    iree_flags: tuple[str, ...] = _option((), "Extra flags for IREE's compiler, after the pipeline's.")
    dump: str = _option(
        "", "Folder for the IR of each partition after each stage; empty writes none.", key=False
    )
    override: str = _option("", "Folder whose files, named as in `dump`, replace the IR after their stage.")

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):
            _check(f, getattr(self, f.name))
        if self.override and not Path(self.override).is_dir():
            raise OptionsError(f"option override={self.override!r} is no folder")
        if self.dump:
            require_writable(self.dump, "option dump")
        for name in self.torch_executed_ops:
            if not _OP.fullmatch(name):
                raise OptionsError(f"option torch_executed_ops: {name!r} is no op, such as 'aten.mm'")

    @classmethod
    def parse(
        cls,
        options: Mapping[str, Any] | None = None,
        mode: str | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> CompileOptions:
        """Merge environment, `mode` and `options`, the later winning.

        Raises:
            OptionsError: for an unknown key, mode or environment variable, or a bad value.
        """
        merged = _from_environment(os.environ if environ is None else environ)
        if mode is not None:
            if mode not in MODES:
                raise _unknown(f"mode {mode!r}", mode, list(MODES))
            merged.update(MODES[mode])
        names = {f.name for f in dataclasses.fields(cls)}
        for key, value in (options or {}).items():
            if key not in names:
                raise _unknown(f"option {key!r}", str(key), sorted(names))
            merged[key] = tuple(value) if isinstance(value, list) else value
        return cls(**merged)


def require_writable(folder: str, what: str) -> None:
    """Create a folder that files are to be written to, where there is none.

    Raises:
        OptionsError: it is no folder, or nothing can be written there.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionsError(f"{what}={folder!r}: no folder can be made there: {error}") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OptionsError(f"{what}={folder!r}: nothing can be written there")


def list_options() -> dict[str, str]:
    """Return every option with its default, environment variable and meaning, for printing."""
    return {
        f.name: f"{f.metadata['doc']} (default {f.default!r}, environment {env_name(f.name)})"
        for f in dataclasses.fields(CompileOptions)
    }


def env_name(option: str) -> str:
    """Return the environment variable of an option, such as MYJIT_FALLBACK."""
    return f"MYJIT_{option.upper()}"


def _unknown(what: str, name: str, known: list[str]) -> OptionsError:
    return OptionsError(f"unknown {what}.{did_you_mean(name, known)} Known: {', '.join(known)}")


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    names = {env_name(f.name) for f in dataclasses.fields(CompileOptions)}
    for name in environ:
        if name.startswith(env_name("")) and name not in names:
            raise _unknown(f"environment variable {name}", name, sorted(names))
    for f in dataclasses.fields(CompileOptions):
        text = environ.get(env_name(f.name))
        if text is not None:
            found[f.name] = _from_text(f, text)
    return found


def _from_text(f: dataclasses.Field[Any], text: str) -> Any:
    name = env_name(f.name)
    if isinstance(f.default, bool):
        if text.lower() in _TRUE | _FALSE:
            return text.lower() in _TRUE
        raise OptionsError(f"{name}={text!r} is neither true nor false")
    if isinstance(f.default, (int, float)):
        try:
            return type(f.default)(text)
        except ValueError as error:
            raise OptionsError(f"{name}={text!r} is not a number") from error
    if isinstance(f.default, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def _check(f: dataclasses.Field[Any], value: Any) -> None:
    choices = f.metadata["choices"]
    if choices and value not in choices:
        raise OptionsError(
            f"option {f.name}={value!r} is not valid.{did_you_mean(str(value), choices)} "
            f"Valid: {', '.join(choices)}"
        )
    if f.name == "pipeline":
        return
    expected: type | tuple[type, ...] = type(f.default)
    if isinstance(f.default, float):
        expected = (int, float)
    wrong = not isinstance(value, expected) or (isinstance(value, bool) and not isinstance(f.default, bool))
    if wrong:
        raise OptionsError(
            f"option {f.name}={value!r} must be a {type(f.default).__name__}, not a {type(value).__name__}"
        )
    if isinstance(value, (int, float)) and not value >= f.metadata["least"]:  # NaN neither
        raise OptionsError(f"option {f.name}={value!r} must not be below {f.metadata['least']}")
    if isinstance(value, tuple) and not all(isinstance(v, str) for v in value):
        raise OptionsError(f"option {f.name}={value!r} must hold strings only")
