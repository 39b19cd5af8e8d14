"""Find named things by file name and entry point, lazily."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import metadata
from types import ModuleType
from typing import Any, Generic, TypeVar, cast

from myjit.errors import RegistryError, first_line

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
    imported before it is asked for by name. `base`, where it is given, is the class that values are
    instances or subclasses of.

    Raises:
        RegistryError: for an unknown name, one whose provider cannot be loaded or gives something else, or
            when two providers give the same name.
    """

    def __init__(
        self,
        kind: str,
        package: str,
        attribute: str | Callable[[str], str],
        group: str,
        base: type | None = None,
    ) -> None:
        self.kind = kind
        self.package = package
        self.attribute = attribute
        self.group = group
        self.base = base
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
        modules, points = self._modules(), self._entry_points().get(name, [])
        given = {point.value for point in points}
        if len(given) > 1:
            raise RegistryError(f"two packages provide {self.kind} {name!r}: {' and '.join(sorted(given))}")
        if name in modules and points:
            raise RegistryError(f"{self.kind} {name!r} comes both with myjit and from {points[0].value}")
        if name in modules:
            value = self._attribute(name, importlib.import_module(modules[name]))
        elif points:
            value = self._of_package(points[0])
        else:
            hint = did_you_mean(name, self.names())
            raise RegistryError(f"no {self.kind} called {name!r}.{hint} Known: {self.names()}")
        self._values[name] = value
        return value

    def usable(self) -> Iterator[tuple[str, T]]:
        """Yield every name and its value; of a provider that cannot be loaded warn, and leave it out."""
        for name in self.names():
            try:
                value = self.get(name)
            except RegistryError as error:
                warnings.warn(f"left out: {error}", RuntimeWarning, stacklevel=2)
            else:
                yield name, value

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

    def _of_package(self, point: metadata.EntryPoint) -> T:
        provider = f"{self.kind} {point.name!r}, which {point.value} provides,"
        try:
            value: Any = point.load()
        except Exception as error:  # a stranger's package may fail in any way: typed here, once
            text = f"{provider} cannot be loaded: {first_line(error)}"
            raise RegistryError(text) from error
        kind = value if isinstance(value, type) else type(value)
        if self.base is not None and not issubclass(kind, self.base):
            raise RegistryError(f"{provider} is {value!r}, no {self.base.__name__}")
        return cast("T", value)

    def _entry_points(self) -> dict[str, list[metadata.EntryPoint]]:
        found: dict[str, list[metadata.EntryPoint]] = {}
        for point in _installed_points(self.group, tuple(sys.path)):
            found.setdefault(point.name, []).append(point)
        return found
