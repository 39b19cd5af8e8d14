"""Things are found by file name, loaded when asked for, and a wrong name gets the nearest right one."""

from __future__ import annotations

import sys

import pytest

from myjit.errors import RegistryError
from myjit.mlir.context import DIALECTS
from myjit.registry import Registry, did_you_mean
from myjit.worker_pool import POOL


@pytest.fixture
def plants(tmp_path, monkeypatch):
    """Make a package of three modules, and a registry of it."""
    package = tmp_path / "plants"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "tall_tree.py").write_text("PLANT = 'oak'")
    (package / "base.py").write_text("raise AssertionError('shared parts are not loaded')")
    (package / "_hidden.py").write_text("raise AssertionError('private parts are not loaded')")
    (package / "empty.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield Registry("plant", "plants", "PLANT", "myjit.no_such_group")
    for name in [m for m in sys.modules if m == "plants" or m.startswith("plants.")]:
        del sys.modules[name]


def test_names_come_from_files_and_nothing_is_loaded(plants):
    assert plants.names() == ("empty", "tall-tree")
    assert "plants.tall_tree" not in sys.modules


def test_get_loads(plants):
    assert plants.get("tall-tree") == "oak"
    assert plants.registered() == ("tall-tree",)


def test_unknown_names_get_a_hint(plants):
    with pytest.raises(RegistryError, match=r"no plant called 'tal-tree'. Did you mean 'tall-tree'\?"):
        plants.get("tal-tree")


def test_a_module_without_the_attribute(plants):
    with pytest.raises(RegistryError, match=r"plants\.empty does not define PLANT"):
        plants.get("empty")


def test_register_and_forget(plants):
    plants.register("fern", "green")
    assert plants.get("fern") == "green"
    assert "fern" not in plants.installed()
    with pytest.raises(RegistryError, match="already registered"):
        plants.register("fern", "brown")
    with pytest.raises(RegistryError, match="already registered"):
        plants.register("tall-tree", "pine")
    plants.forget("fern")
    assert "fern" not in plants.names()


def test_did_you_mean():
    assert did_you_mean("tarqet", ["target", "device"]) == " Did you mean 'target'?"
    assert not did_you_mean("zzz", ["target"])


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package of three entry points: two cannot be loaded, the third is a string."""
    info = tmp_path / "strange-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strange\nVersion: 1.0\n")
    points = "away = no_such_module:X\nlost = string:no_such_name\ndigits = string:digits\n"
    groups = ("myjit.some_group", "myjit.targets", "myjit.dialects")
    (info / "entry_points.txt").write_text("".join(f"[{group}]\n{points}" for group in groups))
    monkeypatch.syspath_prepend(tmp_path)
    yield
    DIALECTS.forget("digits")
    POOL.stop()  # compiler processes know of the package as well


@pytest.mark.usefixtures("package")
def test_providers_that_cannot_be_loaded_are_named_and_left_out():
    registry = Registry("plant", "myjit.pipelines", "PIPELINE", "myjit.some_group", str)
    with pytest.raises(RegistryError, match="'away', which no_such_module:X provides, cannot be loaded"):
        registry.get("away")
    with pytest.raises(RegistryError, match="'lost', which string:no_such_name provides, cannot be loaded"):
        registry.get("lost")
    assert registry.get("digits") == "0123456789"
    with pytest.warns(RuntimeWarning, match="left out: plant 'away'"):
        usable = dict(registry.usable())
    assert "digits" in usable
    assert not {"away", "lost"} & usable.keys()
    other = Registry("plant", "myjit.pipelines", "PIPELINE", "myjit.some_group", int)
    with pytest.raises(
        RegistryError, match="'digits', which string:digits provides, is '0123456789', no int"
    ):
        other.get("digits")


@pytest.mark.usefixtures("package")
@pytest.mark.filterwarnings("ignore:left out:RuntimeWarning")
def test_programs_that_do_not_ask_for_them_are_compiled(compiled):
    import torch

    import myjit

    x = torch.ones(3)
    assert torch.equal(compiled(lambda x: x * 3 - 1)(x), x * 3 - 1)
    assert "cpu" in myjit.devices()
