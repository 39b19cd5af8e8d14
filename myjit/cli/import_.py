"""`myjit import`: turn a model into IR, at any stage of a pipeline."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

EXAMPLES = """\
examples:
  myjit import torch.nn:GELU --input 'f32[2,8]'               a class, built without arguments
  myjit import my_models:build --input 'f32[1,3,224,224]'     a function that returns a model
  myjit import my_models:attention --input f32[2,4] --input f32[4,2]    a function of tensors
  myjit import model.pt2 --stop torch-to-linalg               what torch.export.save wrote
  myjit import torch.nn:GELU --input 'f32[b,8]'               b is known only at the call
  myjit import torch.nn:GELU --input 'f32[2,8]' --stop fx     the graph, before there is IR

Element types: f16 f32 f64 bf16 i8 i16 i32 i64 u8 bool; without brackets, f32 is a single number's tensor.
The IR is that of --stop (a stage or a level), `torch` as imported by default."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODULE:NAME|FILE.pt2", help="where the model is")
    parser.add_argument("--input", action="append", default=[], metavar="SPEC", help="one input: f32[2,8]")
    parser.add_argument("--pipeline", default="cpu", metavar="NAME|TOML", help="the pipeline (cpu)")
    parser.add_argument("--stop", default="import", metavar="STAGE", help="import, fx, or a stage or level")
    parser.add_argument("--train", action="store_true", help="leave the model in training mode")
    parser.add_argument("--locations", action="store_true", help="print FX node names and source lines")
    parser.add_argument(
        "--load", action="append", default=[], type=Path, metavar="FILE.py", help="load passes from a file"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from myjit.frontend.exported import export_model, exported_graph, import_graph, load_exported
    from myjit.passes.load import load_pipeline
    from myjit.passes.registered import load_file

    for path in args.load:
        load_file(path)
    pipeline = load_pipeline(args.pipeline)
    sys.path.insert(0, "")
    warnings.filterwarnings("ignore", category=FutureWarning, module="torch|copyreg")  # torch's own
    if args.model.endswith(".pt2"):
        program = load_exported(Path(args.model))
    else:
        program = export_model(args.model, args.input, train=args.train)
    graph = exported_graph(program, pipeline)
    if args.stop == "fx":
        print(graph.code.strip())
        return 0
    module = _run_to(import_graph(graph), pipeline, args.stop)
    text = module.operation.get_asm(enable_debug_info=args.locations)
    sys.stdout.write(f"{text.rstrip()}\n")
    return 0


def _run_to(bytecode: bytes, pipeline: object, stop: str) -> object:
    from myjit.cli.opt import run_range
    from myjit.mlir.context import new_context, parse

    module = parse(bytecode, new_context())
    return module if stop == "import" else run_range(module, pipeline, None, stop)
