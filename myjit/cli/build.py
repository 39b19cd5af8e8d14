"""`myjit build`: compile a model into an artifact that runs without torch and the compiler."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

EXAMPLES = """\
examples:
  myjit build torch.nn:GELU --input 'f32[2,8]' -o gelu.myjit        a class, built without arguments
  myjit build my_models:build --input 'f32[b,3,224,224]' -o m.myjit a function that returns a model
  myjit build model.pt2 -o model.myjit                              what torch.export.save wrote
  myjit build model.pt2 -o model.myjit --target cpu --cpu generic --cpu x86-64-v3
  myjit build model.pt2 -o model.myjit --target cuda --arch sm_86   no such GPU is needed here
  myjit build module.mlir -o module.vmfb                            IR of the torch dialect, or of linalg

From IR comes IREE's own file, a .vmfb; run it with iree-run-module."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODULE:NAME|FILE", help="a model, a .pt2 file or an .mlir file")
    parser.add_argument("-o", "--output", type=Path, help="where to write; IR is only tried without")
    parser.add_argument("--input", action="append", default=[], metavar="SPEC", help="one input: f32[2,8]")
    parser.add_argument("--target", default="cpu", help="what to compile for (cpu); see `myjit targets`")
    parser.add_argument(
        *("--cpu", "--arch"),
        dest="machines",
        action="append",
        default=[],
        metavar="NAME",
        help="a processor (host) or a GPU's architecture (sm_86) of the target, one variant each",
    )
    parser.add_argument("--pipeline", default="auto", metavar="NAME|TOML", help="the pipeline")
    parser.add_argument("--ir", action="store_true", help="keep the imported IR in the artifact")
    parser.add_argument(
        "--load", action="append", default=[], type=Path, metavar="FILE.py", help="load passes from a file"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from myjit.passes.registered import load_file

    for path in args.load:
        load_file(path)
    targets = [f"{args.target}:{machine}" for machine in args.machines] or [args.target]
    if args.model.endswith((".mlir", ".mlirbc")):
        return _build_ir(args, targets)
    return _build_model(args, targets)


def _build_model(args: argparse.Namespace, targets: list[str]) -> int:
    from myjit.errors import OptionsError
    from myjit.exporting import export
    from myjit.frontend.exported import export_model, load_exported

    if args.output is None:
        raise OptionsError("where to? name the artifact with -o model.myjit")
    sys.path.insert(0, "")
    warnings.filterwarnings("ignore", category=FutureWarning, module="torch|copyreg")  # torch's own
    if args.model.endswith(".pt2"):
        program = load_exported(Path(args.model))
    else:
        program = export_model(args.model, args.input, train=False)
    options = {"pipeline": args.pipeline}
    path = export(program, path=args.output, target=targets, options=options, ir=args.ir)
    print(f"wrote {path}")
    return 0


def _build_ir(args: argparse.Namespace, targets: list[str]) -> int:
    from myjit.errors import IRError, OptionsError
    from myjit.lower import CompileRequest
    from myjit.mlir.context import new_context, parse, to_bytecode
    from myjit.options import require_writable
    from myjit.passes.load import load_pipeline
    from myjit.targets.base import find_target
    from myjit.worker_pool import POOL

    if len(targets) > 1:
        raise OptionsError("IR is built for one processor at a time")
    target = find_target(targets[0])
    pipeline = load_pipeline(target.pipeline if args.pipeline == "auto" else args.pipeline)
    try:
        source = Path(args.model).read_bytes()
    except OSError as error:
        raise OptionsError(f"cannot read {args.model}: {error}") from error
    try:
        text = source if args.model.endswith("bc") else source.decode()
    except UnicodeDecodeError as error:
        raise IRError(
            f"{args.model} is neither text nor, by its name, bytecode (.mlirbc): {error}"
        ) from error
    if args.output is not None:
        require_writable(str(args.output.parent), "the folder of -o")
    module = parse(text, new_context())
    request = CompileRequest(to_bytecode(module), pipeline, target.flags())
    reply = POOL.wait(POOL.submit(request, 3600.0, 1))
    if args.output is None:
        print(f"it compiles, to {len(reply.vmfb)} bytes; -o FILE.vmfb writes them")
        return 0
    args.output.write_bytes(reply.vmfb)
    print(f"wrote {args.output}")
    return 0
