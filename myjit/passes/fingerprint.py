"""Hash the code of Python passes, so that an edited pass is another pass to every cache.

What is hashed is the compiled code of a class and its bases, and the functions, classes, constants and
modules that this code names, as far as they are the user's own. Compiled code exists in a notebook as
well as in a file, it is what really runs (a file may be newer), and comments do not change it. Installed
packages count by name and version.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import PurePath
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GenericAlias,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from myjit.passes.provenance import imported_files, installed_version, is_installed, source_digest

_PLAIN = (str, bytes, int, float, bool, type(None), complex, type(...))
_BY_NAME = (
    BuiltinFunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)


@dataclass(frozen=True)
class Code:
    """The hash of the code behind a class; `complete` unless it depends on what nothing describes."""

    digest: str
    complete: bool


def code_of(kind: type) -> Code:
    """Describe the code behind a class."""
    return _describe_once(kind) if kind.__module__.startswith("myjit.") else _describe(kind)


def _describe(kind: type) -> Code:
    walk = _Walk(kind.__module__.partition(".")[0])
    walk.visit(kind)
    return Code(hashlib.sha256("\0".join(walk.found).encode()).hexdigest(), walk.complete)


_describe_once = cache(_describe)  # myjit's own code does not change while it runs


class _Walk:
    """Collects descriptions of code and constants, each object once."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._seen: dict[int, Any] = {}  # objects are kept: an id may be given again
        self.found: list[str] = []
        self.complete = True

    def visit(self, value: Any) -> None:
        """Describe one value, and what it names."""
        if isinstance(value, Enum):
            self.found.append(f"{type(value).__qualname__}.{value.name}")
            return
        if isinstance(value, _PLAIN):
            self.found.append(repr(value))
            return
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if isinstance(value, type):
            self._class(value)
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, (tuple, list)):
            self._each(value)
        elif isinstance(value, (set, frozenset)):
            self._each(sorted(value, key=repr))
        elif isinstance(value, (dict, MappingProxyType)):
            self._each([part for item in value.items() for part in item])
        elif isinstance(value, ModuleType):
            self._module(value)
        else:
            self._object(value)

    def _each(self, values: Any) -> None:
        self.found.append(str(len(values)))
        for value in values:
            self.visit(value)

    def _class(self, kind: type) -> None:
        if not self._ours(kind.__module__):
            self._foreign(kind.__module__, kind.__qualname__)
            return
        for base in kind.__bases__:
            self.visit(base)
        for name, value in sorted(vars(kind).items()):
            if not name.startswith("__") or callable(value):
                self.found.append(name)
                self.visit(value)

    def _function(self, function: FunctionType) -> None:
        if not self._ours(function.__module__):
            self._foreign(function.__module__, function.__qualname__)
            return
        self._code(function.__code__)
        self.visit(function.__defaults__)
        self.visit(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            try:
                self.visit(cell.cell_contents)
            except ValueError:  # a name that is not bound yet
                continue
        for name in _names(function.__code__):
            value = function.__globals__.get(name)
            if value is not None:
                self.visit(value)
        for path in imported_files(function.__code__, function.__globals__.get("__package__") or ""):
            self.found.append(source_digest(path))

    def _object(self, value: Any) -> None:
        """Describe an instance by its class and state; what has neither makes the hash incomplete."""
        inner = _inside(value)
        if inner is not None:
            self._each(inner)
        elif isinstance(value, _BY_NAME):
            self.found.append(f"{getattr(value, '__module__', '')}.{value.__qualname__}")
        elif isinstance(value, (re.Pattern, PurePath, GenericAlias)) or not _is_address(repr(value)):
            self.found.append(f"{type(value).__qualname__} {value!r}")
        elif self._ours(type(value).__module__) and hasattr(value, "__dict__"):
            self.visit(type(value))
            self.visit(vars(value))
        else:
            self.found.append(f"{type(value).__module__}.{type(value).__qualname__}")
            self.complete = False

    def _module(self, module: ModuleType) -> None:
        if not self._ours(module.__name__):
            self._foreign(module.__name__, "")
            return
        path = getattr(module, "__file__", None)
        if path is None:
            self.complete = False
        else:
            self.found.append(source_digest(path))

    def _foreign(self, module: str | None, name: str) -> None:
        self.found.append(f"{module}.{name} {installed_version(module or '')}")

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

    def _ours(self, module: str | None) -> bool:
        if module is None:
            return False
        return module.partition(".")[0] == self._package or not is_installed(module)


def _inside(value: Any) -> list[Any] | None:
    """Return what a wrapper of functions is made of; None for anything else."""
    if isinstance(value, (staticmethod, classmethod)):
        return [value.__func__]
    if isinstance(value, property):
        return [value.fget, value.fset]
    if isinstance(value, functools.cached_property):
        return [value.func]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, logging.Logger):
        return [value.name]
    wrapped = getattr(value, "__wrapped__", None)
    return [wrapped] if isinstance(wrapped, FunctionType) else None


def _is_address(text: str) -> bool:
    return " at 0x" in text or " object " in text


def _names(code: CodeType) -> list[str]:
    """Return the global names that code uses, in inner functions too."""
    inner = [n for c in code.co_consts if isinstance(c, CodeType) for n in _names(c)]
    return sorted({*code.co_names, *inner})
