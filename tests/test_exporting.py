"""Saved models: equal to eager with torch, without torch, with other sizes and with other weights."""

from __future__ import annotations

import importlib.metadata
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch
from torch import nn
from torch.export import Dim

import myjit
from myjit.artifact import Signature
from myjit.cli import main
from myjit.errors import ArtifactError, GraphImportError, InvokeError, OptionsError, UnsupportedGraphError
from myjit.runtime import standalone
from myjit.runtime.arithmetic import evaluate
from tests.e2e.models import MODELS, Case


class Everything(nn.Module):
    """Nested arguments and results, tied weights, a mask, a buffer that changes, constants, sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.again = self.first
        self.table = nn.Embedding(5, 3)
        self.register_buffer("count", torch.zeros(3))
        self.register_buffer("mask", torch.tensor([True, False, True]))
        self.register_buffer("unused", torch.tensor(1))

    def forward(self, x: torch.Tensor, more: dict[str, Any], *, flag: bool, scale: int = 1) -> Any:
        self.count.add_(1)
        y = self.again(x) + self.count + self.table(more["index"])
        masked = torch.where(self.mask, y, 0 * y) * scale
        return {"y": y if flag else -y, "rest": (masked.sum(), [more["a"], None]), "rows": x.shape[0] * 2}


def everything(tmp_path: Path, **options: Any) -> tuple[Everything, Path]:
    model = Everything().eval()
    args = (torch.randn(5, 4), {"a": torch.ones(2), "index": torch.tensor(2)})
    shapes = {"x": {0: Dim("rows", max=64)}, "more": {"a": None, "index": None}, "flag": None}
    path = tmp_path / "everything.myjit"
    assert myjit.export(model, args, {"flag": False}, dynamic_shapes=shapes, path=path, **options) == path
    model.count.zero_()
    return model, path


def arguments(rows: int) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    return torch.randn(rows, 4), {"a": torch.rand(2), "index": torch.tensor(3)}


def test_nested_arguments_dynamic_sizes_and_changing_buffers(tmp_path: Path):
    model, path = everything(tmp_path)
    loaded = myjit.load(path)
    for rows in (5, 1, 7):
        x, more = arguments(rows)
        with torch.no_grad():
            expected = model(x, more, flag=False)
        torch.testing.assert_close(loaded(x, more, flag=False), expected)
    torch.testing.assert_close(loaded.state(), {"count": torch.full((3,), 3.0)})


def test_the_same_on_numpy_arrays(tmp_path: Path):
    model, path = everything(tmp_path)
    program = standalone.load(path)
    assert [text.partition("[")[0] for text in program.inputs] == ["float32", "float32", "int64"]
    for rows in (5, 7):
        x, more = arguments(rows)
        with torch.no_grad():
            expected = model(x, more, flag=False)
        given = {name: value.numpy() for name, value in more.items()}
        result = program(x.numpy(), given, flag=False)
        np.testing.assert_allclose(result["y"], expected["y"], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(result["rest"][0], expected["rest"][0], rtol=1e-5, atol=1e-5)
        assert result["rows"] == 2 * rows
        assert result["rest"][1][1] is None


X, MORE = arguments(5)
WRONG: dict[str, tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = {
    "missing": ((X,), {"flag": False}, ArtifactError, "positional arguments must be a tuple of 2"),
    "keyword": ((X, MORE), {}, ArtifactError, r"keyword arguments must have the keys \['flag'\]"),
    "constant": ((X, MORE), {"flag": True}, ArtifactError, "is True; the artifact was made for False"),
    "size": ((X[:, :2], MORE), {"flag": False}, ArtifactError, "has size 2 in dimension 1, not 4"),
    "range": ((torch.ones(65, 4), MORE), {"flag": False}, ArtifactError, "is 65; the artifact takes 0 to 64"),
    "rank": ((X[0], MORE), {"flag": False}, ArtifactError, "has 1 dimensions, not 2"),
    "type": ((X.double(), MORE), {"flag": False}, ArtifactError, "float32.*not.*float64"),
    "no tensor": ((None, MORE), {"flag": False}, ArtifactError, "must be a tensor, not NoneType"),
    "index": ((X, {**MORE, "index": torch.tensor(5)}), {"flag": False}, InvokeError, "out of range"),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return everything(tmp_path_factory.mktemp("saved"))[1]


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_refused(name: str, saved: Path):
    args, kwargs, error, said = WRONG[name]
    with pytest.raises(error, match=said):
        myjit.load(saved)(*args, **kwargs)
    plain = torch.utils._pytree.tree_map(lambda v: v.numpy() if isinstance(v, torch.Tensor) else v, args)
    with pytest.raises(error, match=said):
        standalone.load(saved)(*plain, **kwargs)


def test_products_of_bfloat16_without_torch(tmp_path: Path):
    """Of a processor with AMX they use registers that a process has to ask for."""
    layer, x = nn.Linear(256, 128).bfloat16(), torch.randn(64, 256).bfloat16()
    path = myjit.export(layer, (x,), path=tmp_path / "layer.myjit")
    for name, tensor in (("x", x), ("y", layer(x))):
        np.save(tmp_path / name, tensor.detach().view(torch.uint16).numpy())
    program = """
import sys
import numpy as np
from myjit.runtime.standalone import load

folder = sys.argv[1]
found, wanted = load(folder + "/layer.myjit")(np.load(folder + "/x.npy")), np.load(folder + "/y.npy")
found, wanted = ((bits.astype(np.uint32) << 16).view(np.float32) for bits in (found, wanted))
assert "torch" not in sys.modules
np.testing.assert_allclose(found, wanted, rtol=2e-2, atol=2e-2)
"""
    subprocess.run([sys.executable, "-c", program, str(path.parent)], check=True, timeout=120)


def test_weights_are_stored_once_and_not_in_the_code(saved: Path):
    file = standalone.load(saved)._saved.file
    assert file.manifest["parameters"]["again.weight"]["stored"] == "first.weight"
    weights = safetensors.torch.load(bytes(file.member("parameters.safetensors")))
    assert set(weights) == {"first.weight", "first.bias", "table.weight", "count", "mask", "unused"}


def test_the_key_says_what_made_the_code(saved: Path):
    (variant,) = standalone.load(saved)._saved.file.manifest["variants"]
    assert [name for name, _ in variant["key"]] == [
        *("ir", "iree", "myjit", "pipeline", "target", "torch", "torch-mlir")
    ]


def test_a_manifest_cannot_bring_code(tmp_path: Path):
    """Names of a signature are written into generated code, so they must be names."""
    signature = {
        "inputs": [],
        "outputs": [],
        "symbols": [["s=1;import os", 0, 0]],
        "bound": [],
        "guarded": False,
    }
    with pytest.raises(ValueError, match="is no name"):
        Signature.from_json(signature)
    spec = {"dtype": "__import__('os')", "shape": [], "order": []}
    with pytest.raises(ValueError, match="is no name"):
        Signature.from_json({**signature, "symbols": [], "outputs": [spec]})
    with pytest.raises(ArtifactError, match="is not arithmetic"):
        evaluate("__import__('os').getpid()", {})


def test_damaged_artifacts_never_run_wrong(saved: Path, tmp_path: Path):
    """Flips in the whole file of a model; those that are not refused hold the same program."""
    good, path, chosen = saved.read_bytes(), tmp_path / "bad.myjit", random.Random(3)
    expected = standalone.load(saved)._saved
    for _ in range(200):
        bad = bytearray(good)
        bad[chosen.randrange(len(bad))] ^= 1 << chosen.randrange(8)
        path.write_bytes(bad)
        try:
            found = standalone.load(path)._saved
        except ArtifactError:
            continue
        assert bytes(found.vmfb) == bytes(expected.vmfb)
        assert found.parameters() == expected.parameters()


def test_several_targets_and_the_choice_among_them(tmp_path: Path):
    model, path = everything(tmp_path, target=["cpu:znver5", "cpu:x86-64", "cpu"], ir=True)
    x, more = arguments(4)
    for target in ("cpu", "cpu:x86-64", None):
        model.count.zero_()
        with torch.no_grad():
            expected = model(x, more, flag=False)
        torch.testing.assert_close(myjit.load(path, target=target)(x, more, flag=False), expected)
    with pytest.raises(ArtifactError, match=r"no variant 'cuda'; it has cpu:znver5, cpu:x86-64, cpu"):
        myjit.load(path, target="cuda")
    assert "ir/0.mlirbc" in standalone.load(path, target="cpu")._saved.file.names()


def test_code_for_another_processor_is_refused(tmp_path: Path, monkeypatch):
    _, path = everything(tmp_path, target="cpu:x86-64-v3")
    monkeypatch.setattr("myjit.machine.own_features", lambda: frozenset({"sse", "sse2"}))
    with pytest.raises(ArtifactError, match=r"cpu:x86-64-v3: this processor lacks .*avx2"):
        myjit.load(path)
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(ArtifactError, match="it is for x86_64, this machine is riscv64"):
        myjit.load(path)


def test_what_needs_torch_cannot_be_exported(tmp_path: Path):
    class Noise(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + torch.rand_like(x)

    class Singular(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.linalg.svdvals(x)

    class Branch(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x if x.sum() > 0 else -x

    path, x = tmp_path / "a.myjit", torch.ones(2, 2)
    with pytest.raises(UnsupportedGraphError, match=r"rand.*test_exporting\.py"):
        myjit.export(Noise(), (x,), path=path)
    with pytest.raises(myjit.errors.CompileError, match="_linalg_svd"):
        myjit.export(Singular(), (x,), path=path)
    with pytest.raises(GraphImportError, match=r"torch\.export refuses the model"):
        myjit.export(Branch(), (x,), path=path)
    with pytest.raises(OptionsError, match="takes a module"):
        myjit.export(torch.sin, (x,), path=path)  # type: ignore[arg-type]
    assert not path.exists()


def test_refit_checks_names_sizes_types_and_ties(tmp_path: Path):
    model, path = everything(tmp_path)
    before = path.read_bytes()
    wrong: dict[str, dict[str, Any]] = {
        r"no weight 'first\.wieght'\. Did you mean 'first\.weight'": {"first.wieght": torch.ones(3, 4)},
        r"'first\.weight' is float32\[4, 3\], the artifact's is float32\[3, 4\]": {
            "first.weight": torch.ones(4, 3)
        },
        r"is float64\[3, 4\]": {"first.weight": np.ones((3, 4))},
        "share their memory, but differ": {"first.bias": torch.ones(3), "again.bias": torch.zeros(3)},
        "no tensor and no array": {"first.bias": object()},
    }
    for said, weights in wrong.items():
        with pytest.raises(ArtifactError, match=said):
            myjit.refit(path, weights)
    assert path.read_bytes() == before
    other = Everything().eval()
    myjit.refit(path, other.state_dict())
    x, more = arguments(3)
    with torch.no_grad():
        torch.testing.assert_close(myjit.load(path)(x, more, flag=False), other(x, more, flag=False))
    del model


def bare_environment(folder: Path) -> Path:
    """Make an environment that holds numpy, IREE's runtime and myjit, and nothing else; return its Python.

    The packages' folders are linked rather than installed, so that no index is needed.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for distribution in ("numpy", "iree-base-runtime", "ml_dtypes"):  # the last is the runtime's own need
        for file in importlib.metadata.files(distribution) or ():
            parts = file.parts[: 2 if file.parts[0] == "iree" else 1]
            link = site.joinpath(*parts)
            if parts[0] not in ("..", "bin") and not link.exists():
                link.parent.mkdir(exist_ok=True)
                link.symlink_to(
                    Path(str(importlib.metadata.distribution(distribution).locate_file("")), *parts)
                )
    (site / "myjit").symlink_to(Path(myjit.__file__).parent)
    return folder / "bin" / "python"


ABSENT = """
import importlib.util, sys
for name in ("torch", "torch_mlir", "iree.compiler", "transformers", "safetensors"):
    assert importlib.util.find_spec(name) is None, name
"""


def _llama() -> tuple[Case, dict[str, Any]]:
    model, args, kwargs = MODELS["llama"]()
    return (model, args, kwargs), {"input_ids": {0: Dim("batch", max=8)}, "use_cache": None}


def _resnet() -> tuple[Case, dict[str, Any]]:
    model, args, kwargs = MODELS["resnet18"]()
    return (model, (torch.cat([*args, *args]),), kwargs), {"x": {0: Dim("batch", max=8)}}


@pytest.mark.slow
@pytest.mark.parametrize("build", [_resnet, _llama], ids=["resnet18", "llama"])
def test_models_run_without_torch_and_compiler(build: Any, tmp_path: Path):
    """With a batch size of its own, then with other weights, through the command line and from Python."""
    (model, args, kwargs), shapes = build()
    model = model.eval()
    path, python = tmp_path / "model.myjit", bare_environment(tmp_path / "bare")
    myjit.export(model, args, kwargs, dynamic_shapes=shapes, path=path)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}

    def run(*arguments: str) -> None:
        done = subprocess.run(
            [str(python), *arguments], capture_output=True, text=True, env=environment, check=False
        )
        assert done.returncode == 0, done.stderr

    def check(batch: int) -> None:
        x = torch.cat([args[0]] * 3)[:batch].flip(-1).contiguous()
        np.save(tmp_path / "x.npy", x.numpy())
        run(
            "-c",
            ABSENT + "from myjit.__main__ import main; sys.exit(main(sys.argv[1:]))",
            "run",
            str(path),
            "--input",
            f"@{tmp_path / 'x.npy'}",
            "--output",
            str(tmp_path / "y.npy"),
        )
        with torch.no_grad():
            expected = model(x, **kwargs)
        expected = expected if isinstance(expected, torch.Tensor) else expected.logits
        np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected.numpy(), rtol=1e-3, atol=1e-3)

    check(3)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(0.9)
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    safetensors.torch.save_file(weights, tmp_path / "new.safetensors")
    run("-m", "myjit", "refit", str(path), str(tmp_path / "new.safetensors"))
    check(2)


def test_the_command_line_builds_and_runs(tmp_path: Path, capsys):
    path, y = tmp_path / "m.myjit", tmp_path / "y.npy"
    assert main(["build", "torch.nn:GELU", "--input", "f32[n,4]", "-o", str(path), "--cpu", "generic"]) == 0
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    given = ["--input", f"@{tmp_path / 'x.npy'}"]
    assert main(["run", str(path), *given, "--output", str(y)]) == 0
    expected = nn.functional.gelu(torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(np.load(y), expected, rtol=1e-5, atol=1e-6)
    assert main(["run", str(path), *given, "--output", str(y.with_suffix(".npz"))]) == 0
    np.testing.assert_allclose(np.load(y.with_suffix(".npz"))["0"], expected, rtol=1e-5, atol=1e-6)
    capsys.readouterr()
    assert main(["run", str(path), "--describe"]) == 0
    said = capsys.readouterr().out
    assert "variants: cpu:generic (chosen)" in said
    assert main(["run", str(path)]) == ArtifactError.exit_code
    assert main(["run", str(tmp_path / "x.npy"), *given]) == ArtifactError.exit_code
    assert main(["run", str(path), "--input", f"@{path}"]) == OptionsError.exit_code


def test_the_command_line_builds_exported_programs_and_ir(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    saved, path = tmp_path / "m.pt2", tmp_path / "m.myjit"
    model, x = nn.Linear(3, 2).eval(), torch.randn(4, 3)
    torch.export.save(torch.export.export(model, (x,)), saved)
    assert main(["build", str(saved), "-o", str(path)]) == 0
    with torch.no_grad():
        torch.testing.assert_close(myjit.load(path)(x), model(x))
    ir = tmp_path / "m.mlir"
    ir.write_text(
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = arith.addf %a, %a : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
    )
    assert main(["build", str(ir), "-o", str(tmp_path / "m.vmfb")]) == 0
    assert (tmp_path / "m.vmfb").stat().st_size > 1000
    capsys.readouterr()
    assert main(["build", str(ir)]) == 0
    assert "-o FILE.vmfb writes them" in capsys.readouterr().out
    assert main(["build", str(saved)]) == OptionsError.exit_code
