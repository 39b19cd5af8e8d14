"""`myjit refit`: replace the weights of a saved artifact without compiling."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """\
examples:
  myjit refit model.myjit finetuned.safetensors
  myjit refit model.myjit finetuned.safetensors -o finetuned.myjit

Names are those of the model's state_dict; sizes and element types must be those of the export."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("artifact", type=Path, help="what myjit.export or `myjit build` wrote")
    parser.add_argument("weights", type=Path, metavar="FILE.safetensors", help="the new weights")
    parser.add_argument("-o", "--output", type=Path, help="write here, not in place of the artifact")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from myjit.refitting import refit

    print(f"wrote {refit(args.artifact, args.weights, args.output)}")
    return 0
