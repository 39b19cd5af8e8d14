"""CUDA without a GPU: which architecture, what is missing, code for a machine that is not here."""

from __future__ import annotations

import pytest
import torch

import myjit
from myjit.cli import main
from myjit.errors import ArtifactError, OptionsError, PassError, TargetUnavailableError
from myjit.options import CompileOptions
from myjit.resolve import resolve_target
from myjit.targets.base import find_target
from myjit.targets.cuda import ARCHITECTURES, TARGET, nearest_architecture

without_device = pytest.mark.skipif(not TARGET.unavailable_reason(), reason="this machine has a CUDA device")

IR = """
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %c = arith.constant 0.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>)
    -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
"""


@pytest.mark.parametrize(
    ("capability", "kilobytes", "arch"),
    [
        ((5, 2), 48, ""),
        ((6, 1), 48, "sm_60"),
        ((7, 5), 64, "sm_75"),
        ((8, 0), 163, "sm_80"),
        ((8, 6), 99, "sm_86"),
        ((8, 9), 99, "sm_89"),
        ((9, 0), 227, "sm_80"),
        ((10, 0), 227, "sm_80"),
        ((12, 0), 99, "sm_89"),
    ],
)
def test_the_architecture_runs_on_the_device(capability, kilobytes, arch):
    assert nearest_architecture(capability, shared_memory=kilobytes * 1024) == arch


def test_an_architecture_that_iree_refuses_is_an_error():
    with pytest.raises(OptionsError, match="no variant 'sm_90': IREE compiles for"):
        find_target("cuda:sm_90")


@pytest.mark.parametrize("arch", [ARCHITECTURES[0], "sm_86", ARCHITECTURES[-1]])
def test_code_for_a_gpu_that_is_not_here(tmp_path, arch):
    source, output = tmp_path / "m.mlir", tmp_path / "m.vmfb"
    source.write_text(IR)
    assert main(["build", str(source), "-o", str(output), "--target", "cuda", "--arch", arch]) == 0
    assert f".target {arch}".encode() in output.read_bytes()


@without_device
def test_what_is_missing_is_said_before_anything_is_compiled():
    reason = TARGET.unavailable_reason()
    assert reason
    assert str(myjit.is_available("cuda")) == f"cuda: {reason}"
    with pytest.raises(TargetUnavailableError, match="target 'cuda' is not available"):
        resolve_target(CompileOptions.parse({"target": "cuda"}), [torch.ones(2)])
    with pytest.raises(TargetUnavailableError, match="needs an architecture, such as sm_89"):
        TARGET.flags()


def test_a_torch_without_cuda_is_the_reason(monkeypatch):
    monkeypatch.setattr("ctypes.CDLL", lambda name: None)
    monkeypatch.setattr(torch.version, "cuda", None)
    assert "is built without CUDA" in TARGET.unavailable_reason()
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "finds no CUDA device" in TARGET.unavailable_reason()


def test_convolutions_of_half_types_are_refused(tmp_path):
    layer, x = torch.nn.Conv2d(8, 8, 1).half(), torch.randn(1, 8, 4, 4).half()
    with pytest.raises(PassError, match="convolutions of half types come out wrong"):
        myjit.export(layer, (x,), path=tmp_path / "m.myjit", target="cuda:sm_86")
    myjit.export(layer, (x,), path=tmp_path / "m.myjit", target="cpu")


def test_an_artifact_for_a_gpu_says_why_it_does_not_load(tmp_path):
    path = tmp_path / "m.myjit"
    myjit.export(torch.nn.GELU(), (torch.randn(4),), path=path, target="cuda:sm_86")
    with pytest.raises(ArtifactError, match="cuda:sm_86: it needs the driver cuda://0"):
        myjit.load(path)
    myjit.export(torch.nn.GELU(), (torch.randn(4),), path=path, target=["cuda:sm_86", "cpu"])
    x = torch.randn(4)
    torch.testing.assert_close(myjit.load(path)(x), torch.nn.functional.gelu(x))
