"""Failures of passes are typed, name where they happened, and leave a file that shows them again."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from myjit.errors import CodegenError, CompileError, ContractError, PassError
from myjit.mlir.context import new_context, parse
from myjit.passes.base import NativePass, Pass
from myjit.passes.contract import Contract
from myjit.passes.instrument import Timing, VerifyEach
from myjit.passes.pipeline import Stage
from myjit.passes.registered import load_file, pass_class
from myjit.passes.runner import Watch, run_stages

ROOT = Path(__file__).resolve().parents[2]
SOURCE = "func.func @f(%a: f32) -> f32 { %0 = arith.addf %a, %a : f32 return %0 : f32 }"
FAILING = """
from dataclasses import dataclass
import myjit

@myjit.register_pass
@dataclass(frozen=True)
class FailingHere(myjit.Pass):
    size: int = 1
    def run(self, module):
        raise ValueError(f"size {self.size}")
"""


def module():
    return parse(SOURCE, new_context())


def reproduce(path: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a reproducer's first line."""
    first = Path(path).read_text().splitlines()[0]
    words = shlex.split(first.removeprefix("// "))
    assert words[0] == "myjit"
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_pass_that_raises_leaves_a_reproducer_that_reproduces(tmp_path: Path):
    (tmp_path / "failing.py").write_text(FAILING)
    load_file(tmp_path / "failing.py")
    item = pass_class("failing-here")(size=7)
    stages = (Stage("a", "torch", (NativePass("cse"),)), Stage("b", "linalg", (NativePass("inline"), item)))
    with pytest.raises(PassError, match="'failing-here' of stage 'b' failed: ValueError: size 7") as caught:
        run_stages(stages, module(), Watch(reproducers=tmp_path))
    assert "ran before it: cse, inline" in str(caught.value)
    again = reproduce(caught.value.reproducer)
    assert again.returncode == PassError.exit_code
    assert "ValueError: size 7" in again.stderr


def test_a_broken_contract_leaves_a_reproducer_that_reproduces(tmp_path: Path):
    stage = Stage("a", "linalg", (NativePass("cse"),), Contract(("builtin", "func")))
    with pytest.raises(ContractError, match=r"arith\.addf is not lowered") as caught:
        run_stages((stage,), module(), Watch(reproducers=tmp_path))
    again = reproduce(caught.value.reproducer)
    assert again.returncode == ContractError.exit_code
    assert "arith.addf is not lowered" in again.stderr


@dataclass(frozen=True)
class BreakIR(Pass):
    """Leave invalid IR."""

    def run(self, module: object) -> None:
        from torch_mlir import ir

        empty = ir.TypeAttr.get(ir.FunctionType.get([], []))
        module.body.operations[0].attributes["function_type"] = empty  # type: ignore[attr-defined]


def test_a_pass_that_breaks_the_ir_is_named():
    with pytest.raises(
        PassError, match=r"'break-ir' of stage 's' failed: .*entry block must have 0 arguments"
    ):
        run_stages((Stage("s", "linalg", (BreakIR(),)),), module(), Watch((VerifyEach(),)))


@pytest.mark.parametrize(("tunes", "kind"), [(True, CodegenError), (False, PassError)])
def test_a_fault_of_our_own_says_so(tunes: bool, kind: type[CompileError], monkeypatch: pytest.MonkeyPatch):
    """Where the pass is for speed, the compiler goes on without it."""
    monkeypatch.setattr(BreakIR, "__module__", "myjit.transforms.break_ir")
    monkeypatch.setattr(BreakIR, "IS_TUNING", tunes)
    with pytest.raises(CompileError, match=r"'break-ir' of stage 's' failed \(a fault of myjit\)") as caught:
        run_stages((Stage("s", "linalg", (BreakIR(),)),), module(), Watch((VerifyEach(),)))
    assert type(caught.value) is kind


def test_timing_lists_each_pass():
    timing = Timing()
    run_stages((Stage("s", "linalg", (NativePass("cse"), NativePass("inline"))),), module(), Watch((timing,)))
    assert [(p.stage, p.pass_name) for p in timing.passes] == [("s", "cse"), ("s", "inline")]
    assert timing.table().splitlines()[-1].endswith("100.0  total")
