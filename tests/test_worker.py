"""Passes that the compiler process cannot import work all the same."""

from __future__ import annotations

import logging
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

import myjit
from myjit.passes.base import Pass

SCRIPT = """
import torch, myjit

class Negate(myjit.FunctionPass):
    def run_on_function(self, function):
        from torch_mlir import ir
        for op in function.regions[0].blocks[0]:
            if op.operation.name == "torch.aten.sin":
                with op.operation.context, op.operation.location, ir.InsertionPoint(op.operation):
                    new = ir.Operation.create("torch.aten.cos", [op.result.type], [op.operands[0]])
                op.operation.results[0].replace_all_uses_with(new.result)
                break

pipeline = myjit.pipelines.get("cpu").before("torch-backend", Negate())
f = torch.compile(torch.sin, backend="myjit_mlir", options={"pipeline": pipeline, "fallback": "error"})
x = torch.randn(5)
torch.testing.assert_close(f(x), x.cos())
g = torch.compile(torch.sin, backend="myjit_mlir", options={"fallback": "error"}, dynamic=False)
torch._dynamo.reset()
torch.testing.assert_close(g(x), x.sin())
print("fine")
"""


def test_a_pass_of_the_running_script_works(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout == "fine\n", done.stderr


def test_a_pass_of_a_function_works_and_the_log_says_where(compiled, caplog):
    seen = []

    @dataclass(frozen=True)
    class Look(Pass):
        def run(self, module: object) -> None:
            seen.append(str(module))

    pipeline = myjit.pipelines.get("cpu").after("torch-to-linalg", Look())
    x = torch.randn(3)
    with caplog.at_level(logging.INFO, "myjit.worker"):
        torch.testing.assert_close(compiled(torch.exp, pipeline=pipeline)(x), x.exp())
    assert "linalg.generic" in seen[0]
    assert "lowering runs in this process" in caplog.text


def test_what_torch_mlir_makes_of_a_scan_travels_from_this_process(compiled):
    class Look(Pass):
        def run(self, module: object) -> None:
            assert "tm_tensor.scan" in str(module)

    pipeline = myjit.pipelines.get("cpu").after("torch-to-linalg", Look())
    x = torch.arange(5.0)
    torch.testing.assert_close(compiled(torch.cumsum, pipeline=pipeline)(x, 0), x.cumsum(0))


def test_a_pass_that_raises_leaves_the_model_to_eager():
    class Refuse(Pass):
        def run(self, module: object) -> None:
            raise ValueError("not today")

    pipeline = myjit.pipelines.get("cpu").after("torch-to-linalg", Refuse())
    model = torch.compile(torch.exp, backend="myjit_mlir", options={"pipeline": pipeline})
    x = torch.randn(3)
    with pytest.warns(Warning, match="not today"):
        torch.testing.assert_close(model(x), x.exp())


def test_graph_passes_may_be_inline_too(compiled):
    class SinToCos(Pass):
        def run(self, module: torch.fx.GraphModule) -> None:
            for node in module.graph.find_nodes(op="call_function", target=torch.ops.aten.sin.default):
                node.target = torch.ops.aten.cos.default

    pipeline = myjit.pipelines.get("cpu").after("decompose", SinToCos())
    x = torch.randn(3)
    torch.testing.assert_close(compiled(torch.sin, pipeline=pipeline)(x), x.cos())
