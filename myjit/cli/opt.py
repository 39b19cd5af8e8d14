"""`myjit opt`: run passes, a pipeline or some of its stages on IR."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from myjit.errors import Diagnostic, IRError, OptionsError, PassError

EXAMPLES = """\
examples:
  myjit opt in.mlir --passes cse                       one pass
  myjit opt in.mlir -p 'func.func(canonicalize,cse)'   nested, in MLIR's grammar
  myjit opt in.mlir --load my_pass.py -p 'my-pass{size=4}, cse'
  myjit opt in.mlir --pipeline cpu --stop torch-to-linalg
  myjit opt in.mlir --pipeline mine.toml --start linalg --dump /tmp/ir --time
  echo 'func.func @f() { return }' | myjit opt

A stage of a pipeline may be named by itself or by its level (torch, linalg, iree). Without passes
the IR is parsed, verified and printed. Diagnostics in comments are checked by --verify-diagnostics:
  // expected-error@+1 {{some text}}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", nargs="?", default="-", help="IR as text or bytecode; - is standard input")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("-p", "--passes", default="", metavar="SPEC", help="passes to run, by comma")
    what.add_argument("--pipeline", metavar="NAME|TOML", help="pipeline to run: torch, linalg, iree levels")
    parser.add_argument("--start", metavar="STAGE", help="first stage of the pipeline to run")
    parser.add_argument("--stop", metavar="STAGE", help="last stage of the pipeline to run")
    parser.add_argument(
        "--level",
        choices=("torch", "linalg", "iree", "global", "flow", "dispatch", "kernel"),
        default="linalg",
        help="where --passes run: whose MLIR",
    )
    parser.add_argument("--ensures", metavar="CONTRACT", help="what must hold after --passes: dialects=a,b")
    parser.add_argument(
        "--load", action="append", default=[], type=Path, metavar="FILE.py", help="load passes from a file"
    )
    parser.add_argument("-o", "--output", type=Path, help="write here instead of to standard output")
    parser.add_argument("--generic", action="store_true", help="print every operation in generic form")
    parser.add_argument("--locations", action="store_true", help="print locations")
    parser.add_argument("--split-input-file", action="store_true", help="treat parts between // ----- alone")
    parser.add_argument("--verify-diagnostics", action="store_true", help="compare with expected-error &c.")
    parser.add_argument("--dump", type=Path, metavar="DIR", help="write the IR as it changes, with diffs")
    parser.add_argument(
        "--dump-when", choices=("stage", "pass", "changed"), default="changed", help="how often (changed)"
    )
    parser.add_argument("--override", type=Path, metavar="DIR", help="take a stage's IR from files here")
    parser.add_argument("--time", action="store_true", help="print how long each pass takes")
    parser.add_argument("--no-verify", action="store_true", help="do not verify after each Python pass")
    parser.add_argument(
        "--time-limit",
        type=_seconds,
        metavar="SECONDS",
        help="stop a pass written in Python that does not end",
    )
    parser.add_argument("--reproducer", type=Path, metavar="DIR", help="save the IR before a failure here")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"{text} is no time in seconds")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from myjit.cli._diagnostics import check_expected
    from myjit.passes.instrument import Timing
    from myjit.passes.registered import load_file

    for path in args.load:
        load_file(path)
    stages = _stages(args)
    timing = Timing()
    source = _read(args.file)
    chunks = _split(source) if args.split_input_file else [source]
    outputs: list[str] = []
    for number, chunk in enumerate(chunks):
        watch = _watch(args, timing, number if len(chunks) > 1 else None)
        result = _run_chunk(chunk, stages, watch, args)
        if args.verify_diagnostics:
            check_expected(_text(chunk), result.diagnostics, chunk_number=number)
        elif result.error is not None:
            raise result.error
        else:
            sys.stderr.writelines(f"{d.location} {d.severity}: {d.message}\n" for d in result.diagnostics)
        outputs.append(result.text)
    _write("// -----\n".join(outputs), args.output)
    if args.time:
        sys.stderr.write(f"{timing.table()}\n")
    return 0


@dataclass(frozen=True)
class _Result:
    text: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    error: IRError | PassError | None = None


def _stages(args: argparse.Namespace) -> tuple[Any, ...]:
    """Return the stages to run."""
    from myjit.passes.check import why_not
    from myjit.passes.contract import Contract
    from myjit.passes.load import load_pipeline
    from myjit.passes.options import read_options
    from myjit.passes.pipeline import Stage
    from myjit.passes.spec import parse_passes

    if args.pipeline:
        if args.ensures:
            raise OptionsError("--ensures goes with --passes: a pipeline has contracts of its own")
        return _range(load_pipeline(args.pipeline), args.start, args.stop)
    if args.start or args.stop:
        raise OptionsError("--start and --stop choose stages of a --pipeline")
    passes = parse_passes(args.passes, args.level)
    for item in passes:
        reason = why_not(item, args.level)
        if reason:
            raise OptionsError(f"--passes: {reason}")
    ensures = read_options(Contract, args.ensures, "--ensures") if args.ensures else None
    return (Stage("passes", args.level, passes, ensures),)


def _range(pipeline: Any, start: str | None, stop: str | None) -> tuple[Any, ...]:
    """Return the stages from `start` to `stop`, both included; each is a stage's name or a level."""
    from myjit.passes.pipeline import IREE_PHASES
    from myjit.registry import did_you_mean

    stages = [s for s in pipeline.stages if s.level != "fx" and s.level not in IREE_PHASES]
    known = list(dict.fromkeys([*(s.name for s in stages), "torch", "linalg", "iree"]))
    for name in filter(None, (start, stop)):
        if name in ("fx", *(s.name for s in pipeline.level("fx"))):
            raise OptionsError(f"{name!r} runs on torch's graph, before there is IR: use myjit import")
        for level, phase in IREE_PHASES.items():
            if name in (level, *(s.name for s in pipeline.level(level))):
                raise OptionsError(
                    f"{name!r} runs inside of IREE's compiler: run its passes on the IR of "
                    f"iree-compile --compile-to={phase}, with --passes and --level {level}"
                )
        if name not in known:
            raise OptionsError(
                f"pipeline {pipeline.name!r} has no stage {name!r}.{did_you_mean(name, known)} "
                f"Stages: {', '.join(known)}"
            )
    first = _place(stages, start, last=False) if start else 0
    end = _place(stages, stop, last=True) + 1 if stop else len(stages)
    if start and stop and end < first:
        raise OptionsError(f"stage {stop!r} comes before {start!r}: there is nothing to run")
    return tuple(stages[first:end])


def _place(stages: list[Any], name: str, *, last: bool) -> int:
    """Return the index of a stage, or of the first or last stage of a level, even of an empty one."""
    from myjit.passes.pipeline import LEVELS

    for index, stage in enumerate(stages):
        if stage.name == name:
            return index
    order = [LEVELS.index(s.level) for s in stages]
    rank = LEVELS.index(name)
    before = sum(o <= rank for o in order) if last else sum(o < rank for o in order)
    return before - 1 if last else before


def _run_chunk(source: bytes, stages: tuple[Any, ...], watch: Any, args: argparse.Namespace) -> _Result:
    from myjit.mlir.context import new_context, new_iree_context, parse
    from myjit.mlir.diagnostics import collect
    from myjit.mlir.native_passes import side_of
    from myjit.passes.runner import run_stages

    start_in_iree = bool(stages) and side_of(stages[0].level) == "iree"
    context = new_iree_context() if start_in_iree else new_context()
    seen: list[Diagnostic] = []
    try:
        with collect(context) as found:
            module = parse(source if b"ML\xefR" in source[:8] else _text(source), context)
        seen += found
        for side in _by_side(stages):
            outcome = run_stages(side, _move(module, side[0].level), watch)
            module = outcome.module
            seen += outcome.diagnostics
    except (IRError, PassError) as error:
        if not args.verify_diagnostics:
            return _Result(error=error)
        return _Result(diagnostics=(*seen, *(error.diagnostics or (Diagnostic("error", str(error)),))))
    with module.context:  # printing verifies, and a verifier written in Python may want the context
        text = module.operation.get_asm(
            print_generic_op_form=args.generic, enable_debug_info=args.locations, pretty_debug_info=False
        )
    return _Result(f"{text.rstrip()}\n", tuple(seen))


def run_range(module: Any, pipeline: Any, start: str | None, stop: str | None) -> Any:
    """Run the stages of a pipeline from `start` to `stop` on a module; return the module."""
    from myjit.passes.runner import run_stages

    for side in _by_side(_range(pipeline, start, stop)):
        module = run_stages(side, _move(module, side[0].level)).module
    return module


def _by_side(stages: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Group stages by whose MLIR they run in: torch-mlir's, then IREE's."""
    from myjit.mlir.native_passes import side_of

    ours = tuple(s for s in stages if side_of(s.level) != "iree")
    theirs = tuple(s for s in stages if side_of(s.level) == "iree")
    return [group for group in (ours, theirs) if group]


def _move(module: Any, level: str) -> Any:
    from myjit.mlir.context import bindings, new_iree_context, parse, to_bytecode
    from myjit.mlir.native_passes import side_of

    if side_of(level) != "iree" or bindings(module).ir.__name__.startswith("iree."):
        return module
    return parse(to_bytecode(module), new_iree_context())


def _watch(args: argparse.Namespace, timing: Any, number: int | None) -> Any:
    from myjit.options import require_writable
    from myjit.passes.dump import Dump, Override
    from myjit.passes.instrument import VerifyEach
    from myjit.passes.runner import Watch

    instruments: list[Any] = [] if args.no_verify else [VerifyEach()]
    instruments.append(timing)
    if args.override:
        if not args.override.is_dir():
            raise OptionsError(f"--override {args.override}: there is no such folder")
        instruments.append(Override(args.override))
    if args.dump:
        require_writable(str(args.dump), "--dump")
        folder = args.dump if number is None else args.dump / f"part-{number}"
        instruments.append(Dump(folder, args.dump_when))
    if args.reproducer:
        require_writable(str(args.reproducer), "--reproducer")
    return Watch(tuple(instruments), args.reproducer, args.time_limit)


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise IRError(f"cannot read {name}: {error.strerror}") from error


def _text(source: bytes) -> str:
    try:
        return source.decode()
    except UnicodeDecodeError as error:
        raise IRError(f"the input is neither text nor bytecode: {error}") from error


def _split(source: bytes) -> list[bytes]:
    import re

    return re.split(rb"^// -----[^\n]*\n?", source, flags=re.MULTILINE)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise IRError(f"cannot write {output}: {error.strerror}") from error
