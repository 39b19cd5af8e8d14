"""`myjit dialects`: list the Python-defined dialects and their operations."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  myjit dialects          each dialect with its operations
  myjit dialects fused    one of them, with operands, attributes and what each operation means"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", nargs="?", help="show one dialect in full")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from myjit.mlir.context import DIALECTS

    dialects = {args.name: DIALECTS.get(args.name)} if args.name else dict(DIALECTS.usable())
    for name, dialect in dialects.items():
        operations = {o.OPERATION_NAME: o for o in dialect.operations}
        print(f"{name}: {', '.join(n.partition('.')[2] for n in operations) or 'no operations'}")
        if args.name:
            for title, operation in operations.items():
                print(f"\n{title}\n  {(operation.__doc__ or '').strip()}")
    if not dialects:
        print("no Python-defined dialects: add dialects/<namespace>.py, or an entry point myjit.dialects")
    return 0
