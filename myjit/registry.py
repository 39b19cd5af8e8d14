"""Find named things by file name and entry point, lazily."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib import metadata
from types import ModuleType
from typing import Generic, TypeVar

from myjit.errors import RegistryError

T = TypeVar("T")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?`, or an empty string when nothing known is close to `name`."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" Did you mean {close[0]!r}?" if close else ""


@cache
def _installed_points(group: str, path: tuple[str, ...]) -> metadata.EntryPoints:
    """Read a group's entry points of every package on `path`, once: that takes 10 ms and more."""
    return metadata.entry_points(group=group)


class Registry(Generic[T]):
    """Names to values: one per module of `package`, plus the entry points of `group`.

    A module `foo_bar.py` is named `foo-bar` and gives its attribute `attribute` (a name, or a function
    from `foo-bar` to a name). A module `base`,
    and those whose name starts with an underscore, hold shared parts and are not listed. Nothing is
    imported before it is asked for by name.

    Raises:
        RegistryError: for an unknown name, or when two providers give the same name.
    """

    def __init__(self, kind: str, package: str, attribute: str | Callable[[str], str], group: str) -> None:
        self.kind = kind
        self.package = package
        self.attribute = attribute
        self.group = group
        self._values: dict[str, T] = {}

    def names(self) -> tuple[str, ...]:
        """List every name, sorted, without importing the providers."""
        return tuple(sorted({*self._modules(), *self._entry_points(), *self._values}))

    def installed(self) -> tuple[str, ...]:
        """List the names that files and entry points provide, which every process knows."""
        return tuple(sorted({*self._modules(), *self._entry_points()}))

    def registered(self) -> tuple[str, ...]:
        """List the names that are loaded: asked for, or added by `register`."""
        return tuple(sorted(self._values))

    def get(self, name: str) -> T:
        """Return the value called `name`, importing its provider on first use."""
        if name in self._values:
            return self._values[name]
        modules, points = self._modules(), self._entry_points()
        if name in modules and name in points:
            raise RegistryError(f"{self.kind} {name!r} comes both with myjit and from {points[name]}")
        if name in modules:
            value = self._attribute(name, importlib.import_module(modules[name]))
        elif name in points:
            value = points[name].load()
        else:
            hint = did_you_mean(name, self.names())
            raise RegistryError(f"no {self.kind} called {name!r}.{hint} Known: {self.names()}")
        self._values[name] = value
        return value

    def register(self, name: str, value: T) -> None:
        """Add `value` under `name` for this process."""
        if name in self.names():
            raise RegistryError(f"{self.kind} {name!r} is already registered")
        self._values[name] = value

    def forget(self, name: str) -> None:
        """Drop what `register` added under `name`; what files and entry points provide stays."""
        self._values.pop(name, None)

    def _attribute(self, name: str, module: ModuleType) -> T:
        attribute = self.attribute if isinstance(self.attribute, str) else self.attribute(name)
        if not hasattr(module, attribute):
            raise RegistryError(f"{self.kind} {name!r}: {module.__name__} does not define {attribute}")
        return getattr(module, attribute)

    def _modules(self) -> dict[str, str]:
        package = importlib.import_module(self.package)
        found = pkgutil.iter_modules(package.__path__)
        names = (m.name for m in found if not m.ispkg and m.name != "base")
        return {n.replace("_", "-"): f"{self.package}.{n}" for n in names if not n.startswith("_")}

    def _entry_points(self) -> dict[str, metadata.EntryPoint]:
        found: dict[str, metadata.EntryPoint] = {}
        for point in _installed_points(self.group, tuple(sys.path)):
            if point.name in found and found[point.name].value != point.value:
                raise RegistryError(
                    f"two packages provide {self.kind} {point.name!r}: "
                    f"{found[point.name].value} and {point.value}"
                )
            found[point.name] = point
        return found
