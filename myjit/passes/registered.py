"""Which passes there are: those of myjit, those of installed packages, those that a program registers."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from myjit.errors import RegistryError, SpecError, first_line
from myjit.passes.base import Pass, camel
from myjit.registry import Registry

#: MLIR passes by name: one class a file in myjit/transforms/, and entry points `myjit.passes`.
PASSES: Registry[type[Pass]] = Registry("pass", "myjit.transforms", camel, "myjit.passes", Pass)

#: FX passes by name: the function `run` of each file in myjit/graph/, and entry points.
GRAPH_PASSES: Registry[Callable[[Any], Any]] = Registry(
    "graph pass", "myjit.graph", "run", "myjit.graph_passes"
)

P = TypeVar("P", bound=type[Pass])


def register_pass(kind: P) -> P:
    """Give a `Pass` class its name in specs, TOML and the command line, for this process.

    Use it as a decorator, above `@dataclass(frozen=True)`. A class of the same module and name may be
    registered again: a notebook cell that is run twice replaces the pass.

    Raises:
        RegistryError: another pass has the name.
        SpecError: the class is no frozen dataclass, so its options could not be written.
    """
    if not (isinstance(kind, type) and issubclass(kind, Pass)):
        raise SpecError(f"{kind!r} is not a subclass of Pass")
    if "__dataclass_fields__" not in vars(kind) and vars(kind).get("__annotations__"):
        raise SpecError(f"{kind.__name__} has options: decorate it with @dataclass(frozen=True)")
    name = kind.pass_name()
    if name in PASSES.names():
        known = PASSES.get(name)
        same = (known.__module__, known.__qualname__) == (kind.__module__, kind.__qualname__)
        if not same:
            raise RegistryError(f"pass {name!r} is already registered, by {known.__module__}")
        PASSES.forget(name)
    PASSES.register(name, kind)
    return kind


def pass_class(name: str) -> type[Pass]:
    """Return the registered class called `name`.

    Raises:
        RegistryError: there is none, or the provider registered a class of another name.
    """
    kind = PASSES.get(name)
    if not (isinstance(kind, type) and issubclass(kind, Pass)):
        raise RegistryError(f"pass {name!r} is registered as {kind!r}, which is no subclass of Pass")
    if kind.pass_name() != name:
        raise RegistryError(
            f"pass {name!r} is registered under another name than its own, {kind.pass_name()!r}"
        )
    return kind


def load_file(path: Path) -> None:
    """Run a Python file for its passes, registered by it or not; the file is never `__main__` here.

    Raises:
        RegistryError: the file is missing or fails.
    """
    if not path.is_file():
        raise RegistryError(f"cannot load passes from {path}: no such file")
    name = f"loaded_{path.stem.replace('-', '_')}"  # never the name of a module that something imports
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RegistryError(f"cannot load passes from {path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever a stranger's file raises is typed here, once
        raise RegistryError(f"loading {path} failed: {first_line(error)}") from error
    finally:
        sys.path.remove(str(path.resolve().parent))
    _register_rest(module)


def _register_rest(module: ModuleType) -> None:
    """Register the passes of a file that it has defined without the decorator."""
    known = {PASSES.get(name) for name in PASSES.registered()}
    for kind in list(vars(module).values()):
        own = isinstance(kind, type) and issubclass(kind, Pass) and kind.__module__ == module.__name__
        runs = own and (kind.run is not Pass.run) and not inspect.isabstract(kind)
        if runs and kind not in known and kind.pass_name() not in PASSES.names():
            with suppress(SpecError):  # its options could not be written: it stays without a name
                register_pass(kind)
