"""Pattern passes used from torch.compile, with options, on IREE's side as well as on torch-mlir's."""

from __future__ import annotations

from dataclasses import dataclass

import torch

import myjit
from myjit.mlir.context import bindings, new_iree_context, parse
from myjit.passes.pattern import PatternPass, pattern


@dataclass(frozen=True)
class ScaleConstants(PatternPass):
    """Multiply float constants, once."""

    factor: float = 1.0

    @pattern("arith.constant")
    def scale(self, op, rewriter):
        ir = bindings(op).ir
        operation = op.operation
        if "scaled" in operation.attributes or not str(operation.results[0].type).startswith("f"):
            return None
        value = ir.FloatAttr(operation.attributes["value"]).value
        operation.attributes["value"] = ir.FloatAttr.get(operation.results[0].type, value * self.factor)
        operation.attributes["scaled"] = ir.UnitAttr.get()
        return True


def test_it_is_visible_in_the_result_of_torch_compile(compiled):
    pipeline = myjit.pipelines.get("cpu").after("torch-to-linalg", ScaleConstants(10.0))
    x = torch.randn(4)
    torch.testing.assert_close(compiled(lambda x: x + 2.0, pipeline=pipeline)(x), x + 20.0)


def test_options_change_the_fingerprint():
    cpu = myjit.pipelines.get("cpu")
    first = cpu.after("torch-to-linalg", ScaleConstants(10.0))
    assert first.with_option("scale-constants.factor", 3.0).fingerprint() != first.fingerprint()


def test_patterns_run_on_irees_side():
    module = parse(
        "func.func @f() -> f32 { %0 = arith.constant 2.0 : f32 return %0 : f32 }", new_iree_context()
    )
    ScaleConstants(4.0).run(module)
    assert "8.000000e+00" in str(module)
