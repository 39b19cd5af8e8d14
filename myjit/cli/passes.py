"""`myjit passes`: list the passes, with their options."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """\
examples:
  myjit passes                    Python passes: their options, defaults and what they do
  myjit passes --native           also what torch-mlir and IREE register
  myjit passes --load my_pass.py  with those of a file"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--native", action="store_true", help="also list MLIR's own passes, one a line")
    parser.add_argument(
        "--load", action="append", default=[], type=Path, metavar="FILE.py", help="load passes from a file"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from myjit.mlir.native_passes import native_names
    from myjit.passes.registered import GRAPH_PASSES, PASSES, load_file, pass_class

    for path in args.load:
        load_file(path)
    print("MLIR passes written in Python:")
    for name, _ in PASSES.usable():
        print(_describe(name, pass_class(name)))
    print("graph passes, for stages of the fx level:")
    print("  decompositions{base=torch-mlir add=a,b keep=aten.gelu}")
    for name in GRAPH_PASSES.names():
        print(f"  {name}")
    if args.native:
        for side in ("torch-mlir", "iree"):
            print(f"passes of {side}:")
            print("\n".join(f"  {name}" for name in native_names(side)))
    else:
        print("and MLIR's own: myjit passes --native")
    return 0


def _describe(name: str, kind: type) -> str:
    import dataclasses

    from myjit.passes.options import write_value

    options = []
    for field in dataclasses.fields(kind):
        key = field.name.replace("_", "-")
        has_default = field.default is not dataclasses.MISSING
        options.append(f"{key}={write_value(field.default)}" if has_default else f"{key}=…")
    head = f"{name}{{{' '.join(options)}}}" if options else name
    summary = (kind.__doc__ or "").strip().split("\n", maxsplit=1)[0]
    return f"  {head}\n      {summary}"
