"""Options are read once, and every mistake names the nearest right answer."""

from __future__ import annotations

import pytest
import torch

import myjit
from myjit.errors import OptionsError
from myjit.options import CompileOptions


def test_an_unknown_key_names_the_nearest_one():
    with pytest.raises(OptionsError, match=r"'tarqet'.*Did you mean 'target'"):
        CompileOptions.parse({"tarqet": "cpu"})


def test_torch_compile_shows_the_message():
    compiled = torch.compile(torch.relu, backend="myjit_mlir", options={"tarqet": "cpu"})
    with pytest.raises(Exception, match=r"Did you mean 'target'"):
        compiled(torch.ones(3))


def test_a_bad_choice_names_the_nearest_one():
    with pytest.raises(OptionsError, match=r"Did you mean 'eager'"):
        CompileOptions.parse({"fallback": "eagr"})


@pytest.mark.parametrize(
    "options", [{"min_partition_ops": "3"}, {"verify": 1}, {"target": None}, {"min_partition_ops": -1}]
)
def test_a_value_of_the_wrong_type_raises(options: dict[str, object]):
    with pytest.raises(OptionsError, match=next(iter(options))):
        CompileOptions.parse(options)


def test_an_unknown_mode_names_the_nearest_one():
    with pytest.raises(OptionsError, match=r"Did you mean 'max-autotune"):
        CompileOptions.parse(mode="max-autotun")


def test_options_win_over_mode_and_mode_over_environment():
    environ = {"MYJIT_DEVICE": "task", "MYJIT_VERIFY": "yes", "MYJIT_TORCH_EXECUTED_OPS": "aten.mm, aten.add"}
    parsed = CompileOptions.parse({}, mode="reduce-overhead", environ=environ)
    assert parsed.device == "auto"
    assert parsed.verify is True
    assert parsed.torch_executed_ops == ("aten.mm", "aten.add")
    assert CompileOptions.parse({"device": "sync"}, "reduce-overhead", environ).device == "sync"


def test_a_bad_environment_value_names_the_variable():
    with pytest.raises(OptionsError, match="MYJIT_COMPILE_TIMEOUT"):
        CompileOptions.parse(environ={"MYJIT_COMPILE_TIMEOUT": "soon"})


def test_every_option_is_listed_with_its_environment_form():
    listed = myjit.list_options()
    assert "MYJIT_FALLBACK" in listed["fallback"]


def test_availability_carries_the_reason():
    assert myjit.is_available("cpu")
    assert "cpu" in myjit.devices()
    with pytest.raises(myjit.errors.RegistryError, match=r"Did you mean 'cpu'"):
        myjit.is_available("cpuu")


def test_an_unknown_environment_variable_names_the_nearest_one():
    with pytest.raises(OptionsError, match=r"MYJIT_FALBACK. Did you mean 'MYJIT_FALLBACK'"):
        CompileOptions.parse(environ={"MYJIT_FALBACK": "error"})


@pytest.mark.parametrize(
    "options",
    [
        {"compile_timeout": float("nan")},
        {"torch_executed_ops": ["mm"]},
        {"torch_executed_ops": ["torch.ops.aten.mm.default"]},
        {"override": "no/such/folder"},
    ],
)
def test_a_value_that_cannot_be_meant_raises(options: dict[str, object]):
    with pytest.raises(OptionsError, match=next(iter(options))):
        CompileOptions.parse(options)


def test_a_folder_that_cannot_be_made_raises(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionsError, match="no folder can be made there"):
        CompileOptions.parse({"dump": str(tmp_path / "file" / "ir")})
    CompileOptions.parse({"dump": str(tmp_path / "ir")})
