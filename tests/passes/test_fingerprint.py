"""The fingerprint follows the code of Python passes, what they name included."""

from __future__ import annotations

import textwrap
from typing import Any

from myjit.passes.fingerprint import code_of


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
