"""Every error class, raised as users meet it: the message says what is wrong and where."""

from __future__ import annotations

import inspect
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._subclasses import FakeTensorMode
from torch.fx import Graph, GraphModule

from myjit import codegen, errors
from myjit.artifact import Artifact, Signature, TensorSpec
from myjit.cache import read_entry
from myjit.cli._diagnostics import check_expected
from myjit.frontend.extract import extract
from myjit.frontend.importer import import_part
from myjit.frontend.signature import signature_of
from myjit.mlir.context import new_context, parse
from myjit.options import CompileOptions
from myjit.passes.base import NativePass, Pass
from myjit.passes.contract import Contract
from myjit.passes.pipeline import PIPELINES, Stage
from myjit.passes.runner import run_stages
from myjit.passes.spec import parse_passes
from myjit.runtime.executable import Executable
from myjit.runtime.interop import aligned
from myjit.saved_file import SavedFile
from myjit.targets.cpu import CpuTarget
from myjit.worker import CompileRequest, Worker

pytestmark = pytest.mark.every_variant


@dataclass(frozen=True)
class Breaks(Pass):
    """A pass that fails."""

    def run(self, module: Any) -> None:
        raise ValueError("three is a crowd")


class Elsewhere(CpuTarget):
    def unavailable_reason(self) -> str:
        return "no driver is installed"


def module():
    return parse("func.func @f(%a: f32) -> f32 { return %a : f32 }", new_context())


def singular_values(x):
    return torch.linalg.svdvals(x)


def compile_under_error():
    run = torch.compile(singular_values, backend="myjit_mlir", options={"fallback": "error"})
    try:
        run(torch.ones(2, 2))
    except torch._dynamo.exc.BackendCompilerFailed as error:
        raise error.inner_exception from None


def compile_for_no_device():
    session = codegen.open_session(())
    codegen.compile_module(session, parse(codegen._ANY_FUNCTION, session.context))


def import_a_python_function():
    graph = Graph()
    x = graph.placeholder("x")
    x.meta["val"] = FakeTensorMode().from_tensor(torch.empty(2))
    strange = graph.call_function(inspect.getdoc, (x,))
    strange.meta = {"val": x.meta["val"], "stack_trace": '  File "model.py", line 7, in forward\n'}
    graph.output((strange,))
    part = extract(GraphModule({}, graph), [strange])
    import_part(part, signature_of(part))


def run_out_of_time():
    Worker().compile(CompileRequest(b"", PIPELINES.get("cpu"), ()), 0.0)


def load_nonsense():
    spec = TensorSpec("float32", (2,), (0,))
    Executable(Artifact(b"nonsense", Signature((spec,), (spec,), (), (0,))), "local-sync").call(
        [torch.ones(2)]
    )


def copy_a_fake_tensor():
    with FakeTensorMode() as mode:
        fake = mode.from_tensor(torch.ones(2, 3))
    aligned(fake)


def call_with_the_wrong_size():
    seen: list[Executable] = []
    original = Executable.__init__

    def remember(self: Executable, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        seen.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Executable, "__init__", remember)
        torch.compile(torch.sin, backend="myjit_mlir")(torch.ones(3))
    seen[0]._on_failure = None
    seen[0].call([torch.ones(5)])


def verify_a_wrong_result():
    def wrong(self: Executable, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self.call = lambda arguments: [torch.zeros(3)]

    original = Executable.__init__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Executable, "__init__", wrong)
        options = {"verify": True, "fallback": "error"}
        torch.compile(torch.cos, backend="myjit_mlir", options=options)(torch.zeros(3))


def read_nonsense_from_a_cache():
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"nonsense")
        file.flush()
        read_entry(Path(file.name))


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "OptionsError": (lambda: CompileOptions.parse({"tarqet": "cpu"}), r"'tarqet'.*Did you mean 'target'"),
    "RegistryError": (lambda: PIPELINES.get("cpuu"), r"no pipeline called 'cpuu'.*Did you mean 'cpu'"),
    "SpecError": (lambda: parse_passes("cse{"), r"cse\{"),
    "IRError": (lambda: parse("func.func @f(", new_context()), r"not a valid module: .*expected"),
    "DiagnosticsMismatchError": (
        lambda: check_expected("// expected-error {{no such thing}}", [], chunk_number=1),
        r"no such thing",
    ),
    "UnsupportedGraphError": (compile_under_error, r"_linalg_svd\.default: torch-mlir.*no lowering"),
    "GraphImportError": (import_a_python_function, r"\[import\] cannot import getdoc\n.*model\.py:7"),
    "PassError": (
        lambda: run_stages((Stage("mine", "linalg", (NativePass("symbol-privatize{no=1}"),)),), module()),
        r"pass 'symbol-privatize' of stage 'mine' failed: .*no such option no",
    ),
    "PassFaultError": (
        lambda: run_stages((Stage("mine", "linalg", (Breaks(),)),), module()),
        r"pass 'breaks' of stage 'mine' failed: ValueError: three is a crowd",
    ),
    "ContractError": (
        lambda: run_stages((Stage("mine", "linalg", (), Contract(("builtin",))),), module()),
        r"stage 'mine' left operations that may not remain: func\.func is not lowered",
    ),
    "CodegenError": (compile_for_no_device, r"IREE refused the program: .*target"),
    "WorkerCrashError": (run_out_of_time, r"took longer than 0 s"),
    "TargetUnavailableError": (
        lambda: Elsewhere().require_available(),
        r"target 'cpu' is not available: no driver is installed",
    ),
    "LoadError": (load_nonsense, r"the compiled module does not load on local-sync"),
    "ArtifactError": (lambda: SavedFile(Path(__file__)), r"test_messages\.py is no artifact .*no zip file"),
    "CacheError": (read_nonsense_from_a_cache, r"is no cache entry of this format"),
    "InvokeError": (call_with_the_wrong_size, r"partition inference_0 failed at run time: .*shape"),
    "MissingMemoryError": (copy_a_fake_tensor, r"an input of sizes \(2, 3\) has no memory"),
    "VerificationError": (verify_a_wrong_result, r"aten\.cos\.default.*differs from eager: output 0"),
}


@pytest.mark.parametrize("name", CASES)
def test_message(name):
    raise_it, said = CASES[name]
    with pytest.raises(getattr(errors, name)) as caught:
        raise_it()
    assert type(caught.value).__name__ == name
    assert re.search(said, str(caught.value), re.DOTALL), str(caught.value)


def test_every_error_is_here():
    kinds = inspect.getmembers(errors, inspect.isclass)
    names = {n for n, kind in kinds if issubclass(kind, errors.MyjitError)}
    assert names - {"MyjitError", "CompileError"} == set(CASES)


def test_the_warning_of_a_fallback():
    with pytest.warns(
        errors.FallbackWarning, match=r"ops of the inference graph run in torch: .*test_messages\.py"
    ):
        torch.compile(singular_values, backend="myjit_mlir")(torch.ones(2, 2))
