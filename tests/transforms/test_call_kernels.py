"""Calls of outlined functions become calls of kernels, or the functions are inlined."""

from __future__ import annotations

import re

import pytest

from myjit.codegen import executable_target, open_session
from myjit.launches import parse_call
from myjit.transforms import call_kernels
from myjit.transforms.call_kernels import CallKernels

NAME = "myjit_call_softmax__rows_8__columns_4__zeros_0__type_0__result_0"
MODULE = """
module {attributes} {{
func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {{
  %0 = func.call @{name}(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}}
func.func private @{name}(%x: tensor<8x4xf32>) -> tensor<8x4xf32> attributes {{no_inline}} {{
  %0 = math.absf %x : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}}}}"""


@pytest.fixture
def with_triton(monkeypatch):
    monkeypatch.setattr(call_kernels, "find_spec", lambda name: object())


def run(arch="", name=NAME):
    """Run the pass for an architecture, or for no launches; return the module's text."""
    from iree.compiler import ir

    flags = ("--iree-hal-target-device=cuda", f"--iree-cuda-target={arch or 'sm_80'}")
    target = f"attributes {{myjit.executable_target = {executable_target(flags)}}}" if arch else ""
    session = open_session(flags)
    with session.context, ir.Location.unknown():
        parsed = ir.Module.parse(MODULE.format(name=name, attributes=target))
        CallKernels().run(parsed)
        parsed.operation.verify()
        return str(parsed)


def test_a_call_names_the_kernel_and_its_numbers(with_triton):
    text = run("sm_80")
    (name,) = re.findall(r'export_name = "(\w+)"|hal\.dispatch\.extern "(\w+)"', text)
    call = parse_call(name[0] or name[1])
    assert call is not None
    assert call[0] == "softmax"
    assert dict(call[1])["columns"] == 4
    assert "math.absf" not in text


def test_a_library_serves_without_triton_and_on_old_devices(monkeypatch):
    monkeypatch.setattr(call_kernels, "find_spec", lambda name: None)
    text = run("sm_75", NAME.replace("softmax", "convolution"))
    assert "math.absf" not in text
    assert "math.absf" in run("", NAME.replace("softmax", "convolution"))


@pytest.mark.parametrize("arch", ["", "sm_75"], ids=["no launches", "an old device"])
def test_elsewhere_the_body_is_compiled(with_triton, arch):
    text = run(arch)
    assert "math.absf" in text
    assert text.count("func.func") == 1


def test_without_triton_the_body_is_compiled(monkeypatch):
    monkeypatch.setattr(call_kernels, "find_spec", lambda name: None)
    assert "math.absf" in run("sm_80")
