"""`myjit targets`: list what can be compiled for, and whether it works here."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  myjit targets
  myjit targets cpu    one target, with its compiler flags; ends with an error where it does not work"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", nargs="?", help="show one target in full")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from myjit.targets.base import TARGETS

    if args.name:
        target = TARGETS.get(args.name)
        target.require_available()
        print(f"{target.name}: takes torch tensors on {target.torch_device}, pipeline {target.pipeline}")
        for title, values in (("device", target.devices()), ("flag", target.flags())):
            for value in values:
                print(f"  {title} {value}")
        return 0
    for name, target in TARGETS.usable():
        print(f"{name:<10} {target.unavailable_reason() or ', '.join(target.devices())}")
    return 0
