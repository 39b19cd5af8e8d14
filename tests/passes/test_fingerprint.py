"""The fingerprint follows the code of Python passes, what they name included."""

from __future__ import annotations

import importlib
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from myjit.passes.fingerprint import Code, code_of


def build(source: str) -> type:
    names: dict[str, Any] = {"__name__": "made_up"}
    exec(textwrap.dedent(source), names)  # noqa: S102 (the test needs two versions of one module)
    return names["P"]


BASE = """
SIZE = 4
def halve(x):
    return x // 2
class P:
    def run(self, module):
        return [halve(SIZE) for _ in module]
"""


def test_comments_and_unrelated_code_do_not_count():
    assert code_of(build(BASE)) == code_of(build(BASE + "\n# a comment\ndef other(): return 1\n"))


def test_a_method_a_function_and_a_constant_count():
    versions = [
        BASE,
        BASE.replace("for _ in module", "for m in module if m"),
        BASE.replace("x // 2", "x // 3"),
        BASE.replace("SIZE = 4", "SIZE = 5"),
    ]
    assert len({code_of(build(v)) for v in versions}) == len(versions)


CLASS = """
import helper
class Setting:
    def __init__(self, value):
        self.value = value
SETTING = Setting(1)
class P:
    def as_module(self):
        return helper.answer()
    def inside(self):
        from inner import answer
        return answer()
    def state(self):
        return SETTING.value
"""


def code_with(folder: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> Code:
    """Describe the class with the modules that it imports written anew."""
    for name in ("helper", "inner", "deep"):
        monkeypatch.delitem(sys.modules, name, raising=False)
        (folder / f"{name}.py").write_text(files.get(name, "def answer(): return 1\n"))
    importlib.invalidate_caches()
    return code_of(build(files.get("source", CLASS)))


def test_modules_of_the_users_own_and_the_state_of_objects_count(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    base = code_with(tmp_path, monkeypatch)
    assert base.complete
    assert code_with(tmp_path, monkeypatch) == base
    edits = [
        {"helper": "def answer(): return 2\n"},
        {"inner": "def answer(): return 2\n"},
        {"inner": "import deep\ndef answer(): return 1\n"},
        {"inner": "import deep\ndef answer(): return 1\n", "deep": "x = 2\n"},
        {"source": CLASS.replace("Setting(1)", "Setting(2)")},
    ]
    assert len({base.digest, *(code_with(tmp_path, monkeypatch, **e).digest for e in edits)}) == 1 + len(
        edits
    )


def test_what_nothing_describes_is_said():
    opaque = BASE.replace("SIZE = 4", "SIZE = object()")
    assert not code_of(build(opaque)).complete
    assert code_of(build(BASE)).complete
