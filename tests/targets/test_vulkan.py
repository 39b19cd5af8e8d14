"""The Vulkan target: which device, what is missing, what it lacks, code for devices that are not here."""

from __future__ import annotations

import dataclasses
import re
import sys

import pytest
import torch
from torch.nn import functional

import myjit
from myjit.cli import main
from myjit.errors import ArtifactError, OptionsError, TargetUnavailableError, UnsupportedGraphError
from myjit.options import CompileOptions
from myjit.resolve import resolve_target
from myjit.runtime.vulkan_probe import ask
from myjit.targets import vulkan
from myjit.targets.base import find_target
from myjit.vulkan_device import best

SPIRV = b"\x03\x02\x23\x07"
IR = """
func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = math.exp %a : tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
"""


@pytest.fixture
def device():
    found = vulkan.own_device()
    if isinstance(found, str):
        pytest.skip(f"target vulkan: {found}")
    return found


@pytest.mark.parametrize("family", vulkan.FAMILIES)
def test_code_for_a_family_that_is_not_here(tmp_path, family, monkeypatch):
    monkeypatch.setattr(vulkan, "own_device", lambda: "no device")
    source, output = tmp_path / "m.mlir", tmp_path / "m.vmfb"
    source.write_text(IR)
    assert main(["build", str(source), "-o", str(output), "--target", "vulkan", "--arch", family]) == 0
    assert SPIRV in output.read_bytes()


def test_a_family_that_does_not_exist_is_an_error():
    with pytest.raises(OptionsError, match="no variant 'ampere': it has baseline, nvidia"):
        find_target("vulkan:ampere")


def test_what_is_missing_is_said_before_anything_is_compiled(monkeypatch):
    monkeypatch.setattr(vulkan, "own_device", lambda: "Vulkan's loader finds no driver")
    assert str(myjit.is_available("vulkan")) == "vulkan: Vulkan's loader finds no driver"
    with pytest.raises(TargetUnavailableError, match="finds no driver"):
        resolve_target(CompileOptions.parse({"target": "vulkan"}), [torch.ones(2)])
    with pytest.raises(TargetUnavailableError, match="needs a family of devices"):
        vulkan.TARGET.flags()


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("kill -SEGV $$", r"the Vulkan driver crashes \(SIGSEGV\)"),
        ("exit 3", r"the Vulkan driver crashes \(exit code 3\)"),
        ("sleep 9", "does not answer within 0.5 s"),
        ("""echo noise; echo '{"reason": "no loader"}'""", "^no loader$"),
    ],
)
def test_a_driver_that_fails_costs_its_own_process_only(tmp_path, monkeypatch, script, reason):
    interpreter = tmp_path / "python"
    interpreter.write_text(f"#!/bin/sh\n{script}\n")
    interpreter.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(interpreter))
    found = ask(patience=0.5)
    assert isinstance(found, str)
    assert re.search(reason, found)


def test_the_card_before_the_processor():
    processor = dataclasses.replace(vulkan.FAMILIES["baseline"], kind="cpu")
    card = dataclasses.replace(processor, kind="discrete")
    assert best([processor, card]) is card
    assert best([]) is None


def test_the_device_found_is_the_one_that_runs(device, compiled):
    assert device.uuid in vulkan.TARGET.driver(work=1)
    assert device.name in vulkan.TARGET.devices()[0]
    report = myjit.explain(lambda x: x + 1, torch.ones(4), options={"target": "vulkan"})
    assert {part.driver for graph in report.graphs for part in graph.parts} == {f"vulkan://GPU-{device.uuid}"}


def test_types_that_the_device_lacks_run_in_torch(device, compiled, monkeypatch):
    lesser = dataclasses.replace(
        device,
        compute=tuple(kind for kind in device.compute if kind not in ("fp64", "int64")),
    )
    monkeypatch.setattr(vulkan, "own_device", lambda: lesser)

    def function(table, index, wide):
        return functional.embedding(index, table).exp() + 1, wide * 2

    table, index, wide = torch.randn(10, 4), torch.tensor([1, 9, 0, 0]), torch.randn(3, dtype=torch.float64)
    run = compiled(function, target="vulkan")
    for actual, expected in zip(run(table, index, wide), function(table, index, wide), strict=True):
        torch.testing.assert_close(actual, expected)
    stats = myjit.stats()
    assert stats["by_design_reasons"] == {"lacking": 2}
    assert stats["ops_compiled"] == 2


def test_an_artifact_for_vulkan_says_why_it_does_not_load(tmp_path):
    path = tmp_path / "m.myjit"
    myjit.export(torch.nn.GELU(), (torch.randn(4),), path=path, target="vulkan:nvidia")
    with pytest.raises(ArtifactError, match="vulkan:nvidia: it needs the driver vulkan"):
        myjit.load(path)
    with pytest.raises(UnsupportedGraphError, match="no code for the data type"):
        myjit.export(torch.nn.GELU(), (torch.randn(4).double(),), path=path, target="vulkan:arm")
