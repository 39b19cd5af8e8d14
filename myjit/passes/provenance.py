"""Where code comes from: installed packages, known by version, or files of the user's own."""

from __future__ import annotations

import ast
import dis
import hashlib
import importlib.util
import site
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from types import CodeType


def is_installed(module: str) -> bool:
    """Tell whether a module is Python's own, myjit's, or lies where packages are installed."""
    top = module.partition(".")[0]
    if top == "__main__":
        return False
    return top in sys.stdlib_module_names or top in ("myjit", "builtins") or _lies_among_packages(top)


@cache
def installed_version(module: str) -> str:
    """Return the version of the package that a module belongs to; Python's own modules have Python's."""
    top = module.partition(".")[0]
    if not top:
        return "of no module"
    if top in sys.stdlib_module_names:
        return f"Python {sys.version_info.major}.{sys.version_info.minor}"
    if top == "myjit":
        return ""  # every key holds myjit's version and source
    for name in (top, top.replace("_", "-")):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    version = getattr(sys.modules.get(top), "__version__", None)
    path = _file_of(top)
    return str(version) if version else (source_digest(path) if path else "")


def source_digest(path: str) -> str:
    """Hash a source file and those of the user's own that it imports."""
    digest = hashlib.sha256()
    waiting, seen = [path], set()
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        try:
            content = Path(current).read_bytes()
        except OSError:
            continue  # gone since it was imported: what runs is described by its code
        digest.update(content)
        if current.endswith(".py"):
            waiting += _imports_of(content, current)
    return digest.hexdigest()


def imported_files(code: CodeType, package: str) -> Iterator[str]:
    """Yield the user's own files that a function imports when it runs, in inner functions too."""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME":
            module = instruction.argval
            path = _own_file(module) or (_own_file(f"{package}.{module}") if package else None)
            if path:
                yield path
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from imported_files(constant, package)


def _imports_of(content: bytes, path: str) -> Iterator[str]:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return
    folder = Path(path).parent
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.ImportFrom):
            base = folder.joinpath(*[".."] * (node.level - 1), *(node.module or "").split("."))
            near = [base.with_suffix(".py"), *(base / f"{alias.name}.py" for alias in node.names)]
            yield from (str(p.resolve()) for p in near if p.is_file())
        for name in names:
            found = _own_file(name)
            if found:
                yield found


def _own_file(module: str) -> str | None:
    return None if not module or is_installed(module) else _file_of(module)


def _file_of(module: str) -> str | None:
    loaded = sys.modules.get(module)
    if loaded is not None:
        return getattr(loaded, "__file__", None)
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    return spec.origin if spec is not None and spec.has_location else None


@cache
def _package_folders() -> tuple[str, ...]:
    paths = {sysconfig.get_path(n) for n in ("purelib", "platlib", "stdlib", "platstdlib")}
    return tuple(
        str(Path(p).resolve()) for p in (*paths, *site.getsitepackages(), site.getusersitepackages())
    )


@cache
def _lies_among_packages(top: str) -> bool:
    """Tell where a top-level name lives; a namespace package by its folder."""
    loaded = sys.modules.get(top)
    path = getattr(loaded, "__file__", None)
    folders = list(getattr(loaded, "__path__", ())) if path is None else [path]
    if not folders:
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError):
            return False
        if spec is not None:
            folders = [spec.origin] if spec.has_location else list(spec.submodule_search_locations or ())
    found = [str(Path(f).resolve()) for f in folders if f]
    return bool(found) and all(f.startswith(_package_folders()) for f in found)
