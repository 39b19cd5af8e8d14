"""Hash the code of Python passes, so that an edited pass is another pass to every cache.

What is hashed is the compiled code of a class and its bases, and the functions, classes and constants
of the same package that this code names. Compiled code exists in a notebook as well as in a file, it
is what really runs (a file may be newer), and comments do not change it.
"""

from __future__ import annotations

import hashlib
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

_PLAIN = (str, bytes, int, float, bool, type(None), complex)


def code_of(kind: type) -> str:
    """Return a hash of the code behind a class."""
    return _digest_once(kind) if kind.__module__.startswith("myjit.") else _digest(kind)


def _digest(kind: type) -> str:
    walk = _Walk(kind.__module__.partition(".")[0])
    walk.visit(kind)
    return hashlib.sha256("\0".join(walk.found).encode()).hexdigest()


_digest_once = cache(_digest)  # myjit's own code does not change while it runs


class _Walk:
    """Collects descriptions of code and constants, each object once."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._seen: set[int] = set()
        self.found: list[str] = []

    def visit(self, value: Any) -> None:
        """Describe one value, and what it names."""
        if isinstance(value, _PLAIN):
            self.found.append(repr(value))
            return
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if isinstance(value, property):
            value = value.fget
        if isinstance(value, type):
            self._class(value)
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, (tuple, list)):
            self._each(value)
        elif isinstance(value, (set, frozenset)):
            self._each(sorted(value, key=repr))
        elif isinstance(value, dict):
            self._each([part for item in value.items() for part in item])

    def _each(self, values: Any) -> None:
        self.found.append(str(len(values)))
        for value in values:
            self.visit(value)

    def _class(self, kind: type) -> None:
        if not self._ours(kind.__module__):
            self.found.append(f"{kind.__module__}.{kind.__qualname__}")
            return
        for base in kind.__bases__:
            self.visit(base)
        for name, value in sorted(vars(kind).items()):
            if not name.startswith("__") or callable(value):
                self.found.append(name)
                self.visit(value)

    def _function(self, function: FunctionType) -> None:
        self._code(function.__code__)
        self.visit(function.__defaults__)
        self.visit(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            try:
                self.visit(cell.cell_contents)
            except ValueError:  # a name that is not bound yet
                continue
        if self._ours(function.__module__):
            for name in _names(function.__code__):
                value = function.__globals__.get(name)
                if value is not None and not isinstance(value, ModuleType):
                    self.visit(value)

    def _code(self, code: CodeType) -> None:
        names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)
        self.found.append(hashlib.sha256(repr((code.co_code, names)).encode()).hexdigest())
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._code(constant)
            elif isinstance(constant, (tuple, frozenset)):
                self.found.append(repr(sorted(map(repr, constant))))
            else:
                self.found.append(repr(constant))

    def _ours(self, module: str) -> bool:
        return module is not None and module.partition(".")[0] == self._package


def _names(code: CodeType) -> list[str]:
    """Return the global names that code uses, in inner functions too."""
    inner = [n for c in code.co_consts if isinstance(c, CodeType) for n in _names(c)]
    return sorted({*code.co_names, *inner})
