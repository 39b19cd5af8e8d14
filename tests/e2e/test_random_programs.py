"""Programs that no one wrote equal eager: `make fuzz` looks for more of them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def _beside(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_beside("program_lines")  # which random_programs imports
programs, checks = _beside("random_programs"), _beside("program_checks")

FORMS = {
    "whole": (12, {}),
    "whole, of sizes that change": (8, {"calls": 3}),
    "whole, with gradients": (6, {"gradients": True}),
    "whole, of all types": (4, {"mixed": True}),
    "whole, with convolutions": (4, {"convolutions": True}),
    "whole, with convolutions and gradients": (2, {"convolutions": True, "gradients": True}),
    "whole, of few kinds of lines": (6, {"few": True}),
    "whole, of sizes of 1": (4, {"tiny": True}),
    "smooth": (6, {"smooth": True}),
    "smooth, with gradients": (4, {"smooth": True, "gradients": True}),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("form", "seed"), [(form, seed) for form, (count, _) in FORMS.items() for seed in range(count)]
)
def test_equal_to_eager(compiled, form, seed):
    options = dict(FORMS[form][1])
    form = {name: options.pop(name) for name in options.keys() - {"smooth", "gradients"}}
    program = programs.generate(seed, smooth=options.get("smooth", False), **form)
    function = program.function()
    run = compiled(function, dynamic="calls" in form)
    found = checks.difference(function, run, program.calls, **options)
    assert not found, program.source


def test_wrong_results_are_seen():
    """The check itself: of a number, a type, a shape and a gradient."""
    program = programs.generate(0)
    function = program.function()
    wrong = {
        "a number": lambda *inputs: [*function(*inputs)[:-1], function(*inputs)[-1] + 1],
        "a type": lambda *inputs: [*function(*inputs)[:-1], function(*inputs)[-1].double()],
        "a shape": lambda *inputs: [*function(*inputs)[:-1], function(*inputs)[-1][None]],
    }
    assert not checks.difference(function, function, program.calls, gradients=True)
    for each in wrong.values():
        assert checks.difference(function, each, program.calls)
    smooth = programs.generate(1, smooth=True)
    function = smooth.function()
    assert not checks.difference(function, function, smooth.calls, smooth=True)
    off = lambda *inputs: [value * 1.01 for value in function(*inputs)]  # noqa: E731
    assert checks.difference(function, off, smooth.calls, smooth=True)


def test_smaller_programs_run():
    program = programs.generate(5)
    for smaller in program.smaller():
        smaller.function()(*program.calls[0].values())
