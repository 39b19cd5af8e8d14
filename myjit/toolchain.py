"""What made a compiled artifact: the versions of torch, torch-mlir, IREE and myjit."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata
from pathlib import Path


@cache
def versions() -> dict[str, str]:
    """Return each tool's version, found without importing it.

    myjit's own comes with a hash of its source: a checkout changes without its version changing.
    """
    return {
        "torch": _version("torch"),
        "torch-mlir": _version("torch-mlir"),
        "iree": f"{_version('iree-base-compiler')} {_version('iree-base-runtime')}",
        "myjit": f"{_version('myjit')} {_source_digest()[:16]}",
    }


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "absent"


def _source_digest() -> str:
    """Hash every Python file of the package, through its links to dialects and pipelines too."""
    package = Path(__file__).parent
    folders = (package, package / "dialects", package / "pipelines")
    files = {path.relative_to(package): path for folder in folders for path in folder.rglob("*.py")}
    digest = hashlib.sha256()
    for name in sorted(files, key=str):
        content = files[name].read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
