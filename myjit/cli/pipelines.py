"""`myjit pipelines`: list, show, check, export and compare pipelines."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

EXAMPLES = """\
examples:
  myjit pipelines list
  myjit pipelines show cpu                 every pass with its options, in order
  myjit pipelines export cpu > mine.toml   then edit it, and
  myjit pipelines check mine.toml
  myjit pipelines diff cpu mine.toml
  myjit opt in.mlir --pipeline mine.toml   or torch.compile(..., options={"pipeline": "mine.toml"})"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their arguments."""
    actions = parser.add_subparsers(dest="action", metavar="action", required=True)
    actions.add_parser("list", help="names, with what each is for")
    for name, text in (
        ("show", "print the whole pipeline as text"),
        ("export", "print it as TOML"),
        ("check", "check that it can be read and that each of its passes exists; - reads TOML"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("pipeline", metavar="NAME|TOML")
        action.add_argument("--load", action="append", default=[], type=Path, metavar="FILE.py")
    diff = actions.add_parser("diff", help="compare two pipelines; ends with 1 where they differ")
    diff.add_argument("first", metavar="NAME|TOML")
    diff.add_argument("second", metavar="NAME|TOML")
    diff.add_argument("--load", action="append", default=[], type=Path, metavar="FILE.py")


def run(args: argparse.Namespace) -> int:
    """Run one action."""
    from myjit.passes.registered import load_file

    for path in getattr(args, "load", ()):
        load_file(path)
    return {"list": _list, "show": _show, "export": _export, "check": _check, "diff": _diff}[args.action](
        args
    )


def _list(args: argparse.Namespace) -> int:
    from myjit.passes.pipeline import PIPELINES

    for name, pipeline in PIPELINES.usable():
        stages = ", ".join(s.name for s in pipeline.stages)
        print(f"{name:<12} {sum(len(s.passes) for s in pipeline.stages)} passes in stages {stages}")
    return 0


def _show(args: argparse.Namespace) -> int:
    from myjit.passes.load import load_pipeline

    print(load_pipeline(args.pipeline).spec())
    return 0


def _export(args: argparse.Namespace) -> int:
    from myjit.passes.load import load_pipeline
    from myjit.passes.pipeline_toml import to_toml

    sys.stdout.write(to_toml(load_pipeline(args.pipeline)))
    return 0


def _check(args: argparse.Namespace) -> int:
    from myjit.passes.check import check_pipeline
    from myjit.passes.load import load_pipeline
    from myjit.passes.pipeline_toml import from_toml

    if args.pipeline == "-":
        pipeline = from_toml(sys.stdin.read(), "standard input")
    else:
        pipeline = load_pipeline(args.pipeline)
    check_pipeline(pipeline)
    count = sum(len(s.passes) for s in pipeline.stages)
    print(f"pipeline {pipeline.name}: {len(pipeline.stages)} stages, {count} passes, fine")
    return 0


def _diff(args: argparse.Namespace) -> int:
    from myjit.passes.load import load_pipeline

    first, second = (
        load_pipeline(name).spec().replace("), ", "),\n    ").splitlines()
        for name in (args.first, args.second)
    )
    lines = list(difflib.unified_diff(first, second, args.first, args.second, lineterm=""))
    for line in lines:
        print(_coloured(line))
    return 1 if lines else 0


def _coloured(line: str) -> str:
    colour = {"+": "32", "-": "31"}.get(line[:1])
    return f"\033[{colour}m{line}\033[0m" if colour and sys.stdout.isatty() else line
