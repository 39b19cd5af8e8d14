"""The source tree keeps the shape that CONTRIBUTING.md describes: sizes, imports, mirrors."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.every_variant

ROOT = Path(__file__).resolve().parents[2]

# The import direction. A module imports modules on its own line and on the lines above it.
# A name stands for the module or the whole package of that name in myjit/.
LAYERS = (
    ("errors",),
    (
        *("options", "registry", "counters", "toolchain", "cache_key", "machine", "vulkan_device"),
        *("whole_file", "launches"),
    ),
    ("mlir",),
    ("passes",),
    ("dialects",),
    ("transforms",),
    ("kernels", "user_kernels"),
    ("pipelines",),
    (
        "artifact",
        "safetensors",
        "saved_file",
        "cache",
        "codegen",
        "lower",
        "worker",
        "worker_main",
        "worker_pool",
    ),
    ("graph", "frontend", "runtime", "targets"),
    ("compile_part", "mask_kernel", "cache_artifacts"),
    (
        "autotune",
        "part_tuning",
        "placing",
        "resolve",
        "compile",
        "plan",
        "progress",
        "steps",
        "timing",
        "verify",
        "info",
    ),
    ("exporting", "refitting"),
    ("backend", "cli"),
    ("explanation",),
    ("", "__main__"),  # "" is myjit/__init__.py, lazy: test_importing_myjit_is_light
)

# These lines never import torch, at any level: `myjit opt` and the lit tests start in 0.2 s.
LAST_LAYER_WITHOUT_TORCH = "lower"

# Who may import what is expensive, or has state. A name covers its submodules, on both sides.
ONLY_IMPORTERS = {
    "torch_mlir": ("myjit.mlir", "myjit.frontend.importer", "myjit.frontend.decompose"),
    "iree.compiler": ("myjit.mlir", "myjit.codegen"),
    "iree.runtime": ("myjit.runtime",),
    "iree.turbine": (),
}

MAX_LINES = 400
BANNED_NAMES = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}

# Folders where every module needs a test of its own, and where its test may lie.
MIRRORED = {
    "graph": ("tests",),
    "transforms": ("tests", "lit"),
    "dialects": ("tests", "lit"),
    "pipelines": ("tests",),
}


class Source(NamedTuple):
    """A source file, and the name it is imported by."""

    path: Path
    module: str

    @property
    def label(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def layer_name(self) -> str:
        return self.module.removeprefix("myjit").removeprefix(".").split(".")[0]


def find_sources() -> list[Source]:
    """Return myjit's modules; dialects/ and pipelines/ are read at their real place, once."""
    found = []
    for top, prefix in (("myjit", "myjit"), ("dialects", "myjit"), ("pipelines", "myjit")):
        for path in sorted((ROOT / top).rglob("*.py")):
            relative = path.relative_to(ROOT)
            through_link = top == "myjit" and relative.parts[1] in ("dialects", "pipelines")
            if not through_link:
                parts = relative.with_suffix("").parts
                module = ".".join(parts if top == "myjit" else (prefix, *parts))
                found.append(Source(path, module.removesuffix(".__init__")))
    return found


SOURCES = find_sources()
MODULES = {source.module for source in SOURCES}
every_source = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.label)


def imported_modules(source: Source) -> Iterator[tuple[int, str]]:
    """Yield line and module of each import, wherever in the file: in functions, under `if`."""
    package = source.module if source.path.name == "__init__.py" else parent_of(source.module)
    for node in ast.walk(ast.parse(source.path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*up, base]).rstrip(".")
            yield from ((node.lineno, submodule_or(base, alias.name)) for alias in node.names)
        elif isinstance(node, ast.Call) and is_dynamic_import(node):
            yield node.lineno, node.args[0].value


def parent_of(module: str) -> str:
    return module.rpartition(".")[0]


def submodule_or(base: str, name: str) -> str:
    """Return what `from base import name` loads: a submodule, of ours or a known one, or base."""
    full = f"{base}.{name}"
    return full if full in MODULES or full in ONLY_IMPORTERS else base


def is_dynamic_import(call: ast.Call) -> bool:
    name = getattr(call.func, "id", getattr(call.func, "attr", None))
    literal = bool(call.args) and isinstance(call.args[0], ast.Constant)
    return name in ("import_module", "__import__") and literal and bool(call.args[0].value)


def covers(package: str, module: str) -> bool:
    return module == package or module.startswith(package + ".")


def layer_of(name: str) -> int | None:
    return next((i for i, names in enumerate(LAYERS) if name in names), None)


def test_the_tree_has_sources():
    assert SOURCES


@every_source
def test_file_is_short(source: Source):
    lines = source.path.read_text(encoding="utf-8").count("\n")
    assert lines <= MAX_LINES, f"{source.label} has {lines} lines: split it by concept"


@every_source
def test_file_is_named_after_its_concept(source: Source):
    assert source.path.stem not in BANNED_NAMES, f"{source.label}: what is the one concept in it?"


@every_source
def test_module_has_a_place_in_the_import_direction(source: Source):
    assert layer_of(source.layer_name) is not None, f"add {source.layer_name!r} to LAYERS"


@every_source
def test_imports_keep_their_direction(source: Source):
    own = layer_of(source.layer_name)
    wrong = []
    for line, module in imported_modules(source):
        if covers("myjit", module) and own is not None:
            imported = Source(source.path, module).layer_name
            layer = layer_of(imported)
            if layer is None or layer > own:
                wrong.append(f"{source.label}:{line} imports {module}, which is above it")
    assert not wrong, "\n".join(wrong)


@every_source
def test_lower_layers_do_without_torch(source: Source):
    own = layer_of(source.layer_name)
    last = layer_of(LAST_LAYER_WITHOUT_TORCH)
    if own is None or last is None or own > last:
        return
    wrong = [f"{source.label}:{n}" for n, m in imported_modules(source) if covers("torch", m)]
    assert not wrong, f"torch is imported at {wrong}"


@every_source
def test_bindings_have_one_way_in(source: Source):
    wrong = []
    for line, module in imported_modules(source):
        for guarded, importers in ONLY_IMPORTERS.items():
            allowed = any(covers(importer, source.module) for importer in importers)
            if covers(guarded, module) and not allowed:
                wrong.append(f"{source.label}:{line} imports {module}; only {importers} may")
    assert not wrong, "\n".join(wrong)


def mirrored_sources() -> list[Source]:
    return [
        source for source in SOURCES if source.layer_name in MIRRORED and not source.path.stem.startswith("_")
    ]


@pytest.mark.parametrize("source", mirrored_sources(), ids=lambda source: source.label)
def test_module_has_its_mirror_test(source: Source):
    folder = Path(*source.module.split(".")[1:-1])
    stem = source.path.stem
    wanted = []
    for root in MIRRORED[source.layer_name]:
        names = (f"test_{stem}.py",) if root == "tests" else lit_names(stem)
        wanted += [Path(root) / folder / name for name in names]
    found = any(any(ROOT.glob(str(place))) for place in wanted)
    assert found, f"{source.label} needs one of {', '.join(map(str, wanted))}"


def lit_names(stem: str) -> tuple[str, ...]:
    """Return lit's patterns for a module: raise_attention.py is the pass raise-attention."""
    names = dict.fromkeys((stem, stem.replace("_", "-")))
    return tuple(f"{name}{rest}" for name in names for rest in (".*", "/*"))


@pytest.mark.parametrize("name", ["dialects", "pipelines"])
def test_symlink_is_relative_and_resolves(name: str):
    link = ROOT / "myjit" / name
    if not link.is_symlink() and not link.exists():
        pytest.skip(f"myjit/{name} does not exist yet")
    assert link.is_symlink(), f"myjit/{name} must be a symlink to ../{name}"
    assert link.readlink() == Path("..") / name
    assert link.resolve(strict=True) == ROOT / name


def test_lit_folder_does_not_shadow_the_lit_tool():
    assert not list((ROOT / "lit").rglob("__init__.py"))


def test_importing_myjit_is_light():
    code = (
        "import sys, myjit; "
        "heavy = {'torch', 'torch_mlir', 'iree', 'numpy'} & set(sys.modules); "
        "sys.exit(f'import myjit brings in {sorted(heavy)}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
