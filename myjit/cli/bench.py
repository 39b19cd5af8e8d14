"""`myjit bench`: time a model beside eager and Inductor."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

from myjit.timing import RUNNERS, forward_only, training_step

EXAMPLES = f"""\
examples:
  myjit bench torch.nn:GELU --input 'f32[1024,1024]'               a class, built without arguments
  myjit bench torchvision.models:resnet18 --input 'f32[1,3,224,224]'   a function that returns a model
  myjit bench my_models:build --input 'i64[1,128]' --train         a step: forward and backward
  myjit bench my_models:build --input 'f32[8,64]' --runner 'myjit tuned'

All runners take turns in one process, on the same inputs: random numbers, ones where they are whole. Each
result is compared with eager's first. Runners: {", ".join(RUNNERS)}."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODULE:NAME", help="where the model is")
    parser.add_argument("--input", action="append", default=[], metavar="SPEC", help="one input: f32[2,8]")
    parser.add_argument("--train", action="store_true", help="time a forward with its backward")
    parser.add_argument("--rounds", type=int, default=11, help="rounds of each runner (11)")
    parser.add_argument(
        "--runner",
        action="append",
        choices=RUNNERS,
        metavar="NAME",
        help="beside eager, any number (inductor, myjit)",
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    import torch

    from myjit.errors import MyjitError, OptionsError, first_line
    from myjit.frontend.exported import model_and_inputs
    from myjit.timing import interleaved

    if args.rounds < 1:
        raise OptionsError("--rounds is one at least")
    sys.path.insert(0, "")
    torch.manual_seed(0)
    named: dict[str, int] = {}
    model, ones = model_and_inputs(args.model, args.input, named)
    if named:
        raise OptionsError(f"bench takes numbers for sizes, not {', '.join(named)}")
    model.train(args.train)
    inputs = [torch.randn_like(t) if t.is_floating_point() else t for t in ones]
    step = training_step if args.train else forward_only
    calls: dict[str, Callable[[], Any]] = {"eager": step(model, model, inputs)}
    seconds = {"eager": 0.0}
    try:
        expected = calls["eager"]()
    except MyjitError:
        raise
    except Exception as error:  # whatever the user's model raises: typed here, once
        raise OptionsError(f"{args.model} fails on these inputs: {first_line(error)}") from error
    for runner in args.runner or ("inductor", "myjit"):
        try:
            compiled = torch.compile(model, **RUNNERS[runner])
        except torch._dynamo.exc.InvalidBackend as error:
            raise OptionsError(f"the runner {runner!r} is not installed here") from error
        calls[runner] = step(model, compiled, inputs)
        start = time.perf_counter()
        result = calls[runner]()
        seconds[runner] = time.perf_counter() - start
        _compare(runner, result, expected)
    _print(interleaved(calls, rounds=args.rounds), seconds)
    return 0


def _compare(runner: str, result: Any, expected: Any) -> None:
    from torch.testing import assert_close
    from torch.utils._pytree import tree_leaves

    from myjit.errors import VerificationError

    try:
        assert_close(tree_leaves(result), tree_leaves(expected), atol=1e-2, rtol=1e-2)
    except AssertionError as error:
        raise VerificationError(f"{runner} differs from eager: {error}") from error


def _print(timings: Any, seconds: dict[str, float]) -> None:
    eager = timings["eager"].median
    print(f"{'':16}{'ms, median':>12}{'least':>10}{'first call, s':>16}{'x eager':>10}")
    for name, timing in timings.items():
        numbers = f"{timing.median / 1e3:12.3f}{timing.least / 1e3:10.3f}{seconds[name]:16.1f}"
        print(f"{name:16}{numbers}{eager / timing.median:10.2f}")
