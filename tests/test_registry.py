"""Things are found by file name, loaded when asked for, and a wrong name gets the nearest right one."""

from __future__ import annotations

import sys

import pytest

from myjit.errors import RegistryError
from myjit.registry import Registry, did_you_mean


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
