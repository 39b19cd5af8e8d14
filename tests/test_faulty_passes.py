"""A pass that raises, breaks the IR or never ends: a typed error, a reproducer, and a model that runs."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import myjit
from myjit.errors import FallbackWarning, PassFaultError
from myjit.mlir.context import bindings
from myjit.mlir.operations import operations
from myjit.worker_pool import POOL

ROOT = Path(__file__).resolve().parents[1]
SOURCE = """
import os
import time

import myjit


class Raises(myjit.Pass):
    def run(self, module):
        raise KeyError("no such thing")


class Breaks(myjit.Pass):
    def run(self, module):
        from torch_mlir import ir

        module.body.operations[0].attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([], []))


class Spins(myjit.Pass):
    def run(self, module):
        while True:
            try:
                sum(range(1000))
            except Exception:
                pass


class Exits(myjit.Pass):
    def run(self, module):
        os._exit(3)


class Sleeps(myjit.Pass):
    def run(self, module):
        time.sleep(600)


class SpinsOverPatterns(myjit.PatternPass):
    MAX_ITERATIONS = 10**9

    @myjit.pattern("torch.aten.sin")
    def twist(self, op, rewriter):
        while True:
            sum(range(1000))
"""
SAYS = {
    "raises": "KeyError: 'no such thing'",
    "breaks": "entry block must have 0 arguments",
    "spins": "it did not end within 2 s",
    "spins-over-patterns": "it did not end within 2 s",
}


def limit(says: str) -> float:
    """Seconds that a compile may take: few only where a pass never ends, for machines are slow at times."""
    return 2.0 if "did not end" in says else 60.0


WAYS = pytest.mark.parametrize("where", ["worker", "here"])
FAULTS = pytest.mark.parametrize("fault", SAYS)


@pytest.fixture
def passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Write the passes to a module, and import it."""
    name = f"faulty_{tmp_path.name.replace('-', '_')}"
    path = tmp_path / f"{name}.py"
    path.write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def pipeline_with(passes: ModuleType, fault: str, where: str) -> Any:
    kind = getattr(passes, "".join(part.title() for part in fault.split("-")))
    found = myjit.pipelines.get("cpu").before("torch-backend", kind())
    if where == "here":

        class Local(myjit.Pass):
            """A pass that no other process can load: the others run here too."""

            def run(self, module: Any) -> None:
                pass

        found = found.before("torch-backend", Local())
    return found


def program(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + x.cos() * 2


def assert_shown_again(error: PassFaultError, says: str) -> None:
    """Run the command that a reproducer begins with."""
    command = shlex.split(Path(error.reproducer).read_text().splitlines()[0].removeprefix("// "))
    assert command[:2] == ["myjit", "opt"]
    again = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert again.returncode == PassFaultError.exit_code
    assert says in again.stderr


@WAYS
@FAULTS
def test_the_error_names_everything_and_its_reproducer_reproduces_it(
    passes: ModuleType, fault: str, where: str
):
    options = {
        "pipeline": pipeline_with(passes, fault, where),
        "fallback": "error",
        "compile_timeout": limit(SAYS[fault]),
    }
    f = torch.compile(program, backend="myjit_mlir", options=options)
    with pytest.raises(Exception, match=re.escape(SAYS[fault])) as caught:
        f(torch.randn(3))
    error = getattr(caught.value, "inner_exception", caught.value)
    assert isinstance(error, PassFaultError)
    assert f"pass {fault!r} of stage {fault!r} failed" in str(error)
    assert "ran before it: nothing" in str(error)
    assert_shown_again(error, SAYS[fault])


@WAYS
@FAULTS
def test_the_model_still_runs_in_eager(passes: ModuleType, fault: str, where: str):
    options = {"pipeline": pipeline_with(passes, fault, where), "compile_timeout": limit(SAYS[fault])}
    f = torch.compile(program, backend="myjit_mlir", options=options)
    x = torch.randn(3)
    with pytest.warns(FallbackWarning, match=re.escape(SAYS[fault])):
        torch.testing.assert_close(f(x), program(x))
    assert set(myjit.stats()["fallback_reasons"]) == {"pass"}


def test_the_passes_before_it_are_named_over_the_levels(passes: ModuleType):
    stage = myjit.Stage("late", "linalg", (passes.Raises(),))
    options = {"pipeline": myjit.pipelines.get("cpu").before("abi", stage), "fallback": "error"}
    f = torch.compile(program, backend="myjit_mlir", options=options)
    with pytest.raises(Exception, match=r"ran before it: torch-match-quantized-custom-ops, inline, .*torch-"):
        f(torch.randn(3))


@pytest.mark.parametrize("level", ["linalg", "global", "flow", "dispatch", "kernel"])
def test_a_fault_at_each_level_is_shown_again(passes: ModuleType, level: str):
    stages = [s.name for s in myjit.pipelines.get("cpu").stages if s.level == level]
    late = myjit.Stage("late", level, (passes.Raises(),))
    options = {"pipeline": myjit.pipelines.get("cpu").after(stages[-1], late), "fallback": "error"}
    f = torch.compile(program, backend="myjit_mlir", options=options)
    with pytest.raises(Exception, match="pass 'raises' of stage 'late' failed") as caught:
        f(torch.randn(3))
    assert_shown_again(getattr(caught.value, "inner_exception", caught.value), SAYS["raises"])


class BreaksKernels(myjit.Pass):
    """Leave kernels that are not valid."""

    def run(self, module: Any) -> None:
        ir = bindings(module).ir
        for op in list(operations(module.operation)):
            if op.name == "func.func":
                with ir.InsertionPoint.at_block_begin(op.regions[0].blocks[0]), op.location:
                    one = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 1)
                    ir.Operation.create("arith.constant", [ir.F32Type.get()], attributes={"value": one})


def test_kernels_that_are_not_valid_are_told_of(passes: ModuleType):
    """MLIR checks several at a time, on threads that wait for Python's lock to tell what is wrong."""
    stage = myjit.Stage("late", "dispatch", (BreaksKernels(),))
    pipeline = myjit.pipelines.get("cpu").after("tiles", stage)
    options = {"pipeline": pipeline, "fallback": "error", "compile_timeout": 100.0}
    two = torch.compile(lambda x: (x.softmax(-1), x.t().cumsum(0)), backend="myjit_mlir", options=options)
    with pytest.raises(Exception, match=r"pass 'breaks-kernels' of stage 'late' failed.*arith\.constant"):
        two(torch.randn(64, 64))


@pytest.mark.parametrize(
    ("fault", "says"), [("exits", r"crashed \(exit code 3\)"), ("sleeps", "took longer than 2 s")]
)
def test_a_pass_that_ends_or_blocks_the_compiler_process_is_named(passes: ModuleType, fault: str, says: str):
    POOL.stop()  # a compiler process looks for modules where the program did when it was started
    options = {"pipeline": pipeline_with(passes, fault, "worker"), "compile_timeout": 2.0}
    f = torch.compile(program, backend="myjit_mlir", options=options)
    x = torch.randn(3)
    with pytest.warns(FallbackWarning, match=f"pass {fault!r} of stage {fault!r} failed: .*{says}"):
        torch.testing.assert_close(f(x), program(x))
    assert set(myjit.stats()["fallback_reasons"]) == {"pass"}


class Doubles(myjit.Pass):
    """Insert an operation, as users do: without saying what its value is like."""

    def run(self, module: Any) -> None:
        for node in module.graph.find_nodes(op="call_function", target=torch.ops.aten.sin.default):
            with module.graph.inserting_after(node):
                twice = module.graph.call_function(torch.ops.aten.mul.Tensor, (node, 2.0))
            node.replace_all_uses_with(twice, delete_user_cb=lambda user, twice=twice: user is not twice)


def test_a_graph_pass_need_not_record_values(compiled):
    run = compiled(program, pipeline=myjit.pipelines.get("cpu").after("rewrite", Doubles()))
    x = torch.randn(3)
    torch.testing.assert_close(run(x), x.sin() * 2 + x.cos() * 2)


class DropOutput(myjit.Pass):
    def run(self, module: Any) -> None:
        module.graph.erase_node(module.graph.find_nodes(op="output")[0])


class Multiply(myjit.Pass):
    """Make a product of what is no matrix."""

    def run(self, module: Any) -> None:
        for node in module.graph.find_nodes(op="call_function", target=torch.ops.aten.add.Tensor):
            node.target = torch.ops.aten.mm.default


class AddUp(myjit.Pass):
    """Return one number in place of three."""

    def run(self, module: Any) -> None:
        for node in module.graph.find_nodes(op="call_function", target=torch.ops.aten.add.Tensor):
            node.target, node.args = torch.ops.aten.sum.default, node.args[:1]


class SpinGraph(myjit.Pass):
    def run(self, module: Any) -> None:
        while True:
            pass


class BreakGraph(myjit.Pass):
    """Leave a node that uses one that comes later."""

    def run(self, module: Any) -> None:
        first, last = [n for n in module.graph.nodes if n.op == "call_function"][
            :: len(module.graph.nodes) - 3
        ]
        last.append(first)


class RaiseAtGraph(myjit.Pass):
    def run(self, module: Any) -> None:
        for node in module.graph.nodes:
            node.args = ()
        raise ValueError("no graph of mine")


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (SpinGraph(), "did not end within 2 s"),
        (RaiseAtGraph(), "ValueError: no graph of mine"),
        (BreakGraph(), "failed: RuntimeError"),
        (DropOutput(), "the graph has no output any more"),
        (Multiply(), "failed: RuntimeError"),
        (AddUp(), r"the graph returned \('float32\[3\]',\), and returns \('float32\[\]',\) now"),
    ],
)
def test_a_graph_pass_that_fails_leaves_the_graph_to_torch(fault: Any, says: str):
    pipeline = myjit.pipelines.get("cpu").after("decompose", fault)
    options: dict[str, Any] = {"pipeline": pipeline, "compile_timeout": limit(says)}
    f = torch.compile(program, backend="myjit_mlir", options=options)
    x = torch.randn(3)
    with pytest.warns(FallbackWarning, match=says):
        torch.testing.assert_close(f(x), program(x))
    torch._dynamo.reset()
    strict = torch.compile(program, backend="myjit_mlir", options={**options, "fallback": "error"})
    with pytest.raises(Exception, match=f"pass {fault.name!r} of stage {fault.name!r} failed") as caught:
        strict(x)
    assert isinstance(getattr(caught.value, "inner_exception", caught.value), PassFaultError)


SCRIPT = """
import torch, myjit

class Spin(myjit.Pass):
    def run(self, module):
        while True:
            pass

if __name__ == "__main__":
    pipeline = myjit.pipelines.get("cpu").before("torch-backend", Spin())
    options = {"pipeline": pipeline, "compile_timeout": 2.0}
    f = torch.compile(torch.sin, backend="myjit_mlir", options=options)
    x = torch.randn(5)
    torch.testing.assert_close(f(x), x.sin())
    print("fine")
"""


def test_a_looping_pass_of_the_running_script_ends(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "fine\n", done.stderr
    assert "pass 'spin' of stage 'spin' failed: it did not end within 2 s" in done.stderr
