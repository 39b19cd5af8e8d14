"""The command line `myjit`: one file a subcommand, exit codes from the error classes."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from myjit.errors import CompileError, IRError, MyjitError

_DESCRIPTION = """\
Open the compiler behind torch.compile(model, backend="myjit_mlir"): run passes on IR,
look at pipelines, import models."""

_EPILOG = """\
examples:
  myjit doctor                                    what works on this machine, what is missing
  myjit pipelines show cpu                        every pass with its options, in order
  myjit import torch.nn:GELU --input 'f32[2,8]'   a model as IR
  myjit opt in.mlir --passes 'func.func(canonicalize)'
  myjit opt in.mlir --pipeline cpu --stop linalg

Each command explains itself: myjit opt --help"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0, or the `exit_code` of the error's class."""
    parser = argparse.ArgumentParser(
        "myjit",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(metavar="command", required=True)
    for name, module in subcommands().items():
        help_line = (module.__doc__ or "").split("\n", maxsplit=1)[0].partition(": ")[2]
        command = commands.add_parser(
            name,
            help=help_line,
            description=help_line,
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    args = parser.parse_args(arguments)
    _open_streams()
    try:
        code = args.run(args)
        sys.stdout.flush()
        return code
    except MyjitError as error:
        _print_error(error)
        return type(error).exit_code
    except BrokenPipeError:  # the reader (head, less) has enough
        _close_stdout()
        return 0
    except OSError as error:  # a file of the user's, a full disk
        _close_stdout()
        sys.stderr.write(f"error: {error}\n")
        return MyjitError.exit_code


def subcommands() -> dict[str, ModuleType]:
    """Return the modules of this folder by name; a trailing underscore is not part of the name."""
    found = sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    return {n.rstrip("_"): importlib.import_module(f"{__name__}.{n}") for n in found}


def _open_streams() -> None:
    """Write to nowhere where a standard stream is closed, and what an encoding lacks as its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 (stays open)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _close_stdout() -> None:
    """Let what is left in the buffer go nowhere, in place of failing again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_error(error: MyjitError) -> None:
    head = "error:"
    if sys.stderr.isatty() and "NO_COLOR" not in os.environ:
        head = f"\033[1;31m{head}\033[0m"
    text = str(error)
    if isinstance(error, IRError):
        text = "\n".join([text, *(f"  {d.location}: {d.message}" for d in error.diagnostics)])
    if isinstance(error, CompileError) and error.reproducer:
        text += f"\n  reproduce it with the command in the first line of {error.reproducer}"
    sys.stderr.write(f"{head} {text}\n")
