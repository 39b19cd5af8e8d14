"""A model started again finds its code in the cache: no compiler, no compiler process; never stale."""

from __future__ import annotations

import logging
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import myjit
from myjit.cache import DiskCache, Entry, open_cache
from myjit.errors import FallbackWarning
from myjit.options import CompileOptions
from myjit.passes.base import Pass
from myjit.worker_pool import POOL


def cache() -> DiskCache:
    options = CompileOptions.parse({})
    found = open_cache(options.cache_dir, options.cache_size)
    assert found is not None
    return found


def hits_and_misses() -> tuple[int, int]:
    counted = myjit.stats()
    return counted["cache_hits"], counted["cache_misses"]


def start_again() -> None:
    """Forget what this process knows."""
    torch._dynamo.reset()
    myjit.reset()


SCRIPT = """
import sys, warnings
warnings.simplefilter("ignore")
import torch, myjit
torch.manual_seed(0)
def model(x, w, i):
    y = torch.linalg.svdvals(torch.tanh(x @ w)[i].softmax(-1))  # the middle runs in torch
    return (y * 3 + torch.tensor([1.0, 2.0, 4.0, 8.0])).cumsum(0)
x, w, i = torch.randn(6, 8), torch.randn(8, 4, requires_grad=True), torch.tensor([5, 0, 2, 2, 1])
pipeline = myjit.pipelines.get("cpu").with_flags("--iree-opt-level=O1")
run = torch.compile(model, backend="myjit_mlir", options={"pipeline": pipeline})
result = run(x, w, i)
result.sum().backward()
torch.testing.assert_close(result, model(x, w, i), rtol=1e-3, atol=1e-4)
from myjit.worker_pool import POOL
counted = myjit.stats()
loaded = sorted(m for m in sys.modules if m.split(".")[0] == "torch_mlir" or m.startswith("iree.compiler"))
print(counted["cache_hits"], counted["cache_misses"], len(POOL.pids()), loaded[:3], counted["partitions"])
"""


def test_a_second_process_imports_no_compiler_and_starts_none(tmp_path: Path):
    """With parts that fall back, a backward graph, an index, an edited pipeline, in scripts of two places."""
    said = []
    for folder in ("one", "another_place"):
        script = tmp_path / folder / "script.py"
        script.parent.mkdir()
        script.write_text("\n" * len(folder) + SCRIPT)
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.split(maxsplit=3))
    first, second = said
    assert first[0] == "0"
    assert int(first[1]) >= 3
    assert second[1:] == ["0", "0", f"[] {first[3].split()[-1]}\n"]
    assert second[0] == first[1]


def test_a_second_process_takes_a_tensor_whose_dimensions_are_permuted():
    """Torch imports a module of its own at the first `permute` of a process, from where it is called."""
    script = (
        "import torch; x = torch.empty_strided((4, 3), (1, 4)).fill_(2)\n"
        "print(torch.compile(torch.neg, backend='myjit_mlir', options={'fallback': 'error'})(x).stride())"
    )
    for _ in "12":
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("(1, 4)\n", "")


def test_a_program_of_another_number_is_another_program(compiled):
    x = torch.ones(3)
    for number in (2.0, 3.0, 2.0):
        start_again()
        result = compiled(lambda x, n=number: x * n)(x)
        torch.testing.assert_close(result, x * number)
    assert hits_and_misses() == (1, 0)


def test_parts_that_differ_in_names_share_their_module(compiled):
    def first(a):
        return a.sin() + 1

    def second(b):
        return b.sin() + 1

    x = torch.randn(3)
    compiled(first)(x)
    start_again()
    compiled(second)(x)
    assert hits_and_misses() == (1, 0)


def test_an_edited_pass_compiles_again_and_the_log_says_why(compiled, caplog):
    @dataclass(frozen=True)
    class Mark(Pass):
        value: int = 0

        def run(self, module: Any) -> None:
            ran.append(self.value)

    ran: list[int] = []
    pipeline = myjit.pipelines.get("cpu").after("torch-to-linalg", Mark())
    edited = pipeline.with_option("mark.value", 1)
    x = torch.randn(3)
    compiled(torch.exp, pipeline=pipeline)(x)
    start_again()
    with caplog.at_level(logging.DEBUG, "myjit.compile_part"):
        compiled(torch.exp, pipeline=edited)(x)
    assert ran == [0, 1]
    assert "missed because pipeline: cpu" in caplog.text


def test_a_pass_that_depends_on_what_nothing_describes_is_not_cached(compiled):
    opaque = object()

    class Look(Pass):
        def run(self, module: Any) -> None:
            assert opaque

    pipeline = myjit.pipelines.get("cpu").after("torch-to-linalg", Look())
    compiled(torch.exp, pipeline=pipeline)(torch.randn(3))
    assert not list(cache().entries())


def test_refusals_are_remembered_with_names_and_places():
    def model(x):
        return torch.linalg.svdvals(x.sin()).cos()

    x = torch.randn(4, 4)
    for again in (False, True):
        start_again()
        with pytest.warns(FallbackWarning, match=r"_linalg_svd.*test_compile_part\.py:\d+"):
            torch.testing.assert_close(torch.compile(model, backend="myjit_mlir")(x), model(x))
        assert (myjit.stats()["cache_misses"] == 0) == again


def test_a_part_that_ran_out_of_time_is_tried_again(compiled):
    x = torch.randn(4)
    with pytest.warns(FallbackWarning):
        torch.compile(torch.sin, backend="myjit_mlir", options={"compile_timeout": 0.0})(x)
    start_again()
    torch.testing.assert_close(compiled(torch.sin)(x), x.sin())


def test_damaged_entries_are_compiled_again(compiled):
    x = torch.randn(4)
    compiled(torch.sin)(x)
    for path in cache().paths():
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 255
        path.write_bytes(data)
    start_again()
    torch.testing.assert_close(compiled(torch.sin)(x), x.sin())
    assert hits_and_misses() == (0, 1)
    assert all(isinstance(entry, Entry) for _, entry in cache().entries())


def test_an_entry_without_its_module_is_compiled_again(compiled):
    x = torch.randn(4)
    compiled(torch.sin)(x)
    for path, entry in cache().entries():
        if isinstance(entry, Entry) and entry.facts["kind"] == "module":
            path.unlink()
    start_again()
    torch.testing.assert_close(compiled(torch.sin)(x), x.sin())
    assert hits_and_misses() == (0, 1)


@pytest.mark.parametrize("options", [{"cache": False}, {"dump": "dumps"}])
def test_without_a_cache_nothing_is_kept(compiled, options, tmp_path: Path):
    if "dump" in options:
        options = {"dump": str(tmp_path)}
    compiled(torch.sin, **options)(torch.randn(4))
    assert not list(cache().entries())
    assert hits_and_misses() == (0, 0)


def test_dynamic_sizes_come_from_the_cache(compiled):
    for _ in range(2):
        start_again()
        run = compiled(lambda x: (x @ x.T).softmax(-1), dynamic=True)
        for rows in (4, 7):
            x = torch.randn(rows, 3)
            torch.testing.assert_close(run(x), (x @ x.T).softmax(-1))
    assert hits_and_misses() == (1, 0)


class Layers(nn.Module):
    """Equal layers with something between them that runs in torch."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x).relu().tanh()
        return x


def test_equal_parts_are_compiled_once(compiled):
    model, x = Layers(), torch.randn(2, 8)
    run = compiled(model, torch_executed_ops=["aten.tanh"])
    with torch.no_grad():
        torch.testing.assert_close(run(x), model(x))
    modules = [e for _, e in cache().entries() if isinstance(e, Entry) and e.facts["kind"] == "module"]
    assert (len(modules), myjit.stats()["partitions"]) == (1, 4)


def test_in_process_compiles_start_no_process(compiled):
    POOL.stop()
    x = torch.randn(4)
    torch.testing.assert_close(compiled(torch.sin, workers=0)(x), x.sin())
    assert POOL.pids() == ()
