"""myjit: torch.compile through torch-mlir and IREE, with a compiler that its users can open.

Names are imported on first use: `import myjit` alone imports neither torch nor MLIR.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_NAMES = {
    "CompileOptions": "myjit.options",
    "FunctionPass": "myjit.passes.base",
    "NativePass": "myjit.passes.base",
    "Launch": "myjit.user_kernels",
    "Pass": "myjit.passes.base",
    "PatternPass": "myjit.passes.pattern",
    "Pipeline": "myjit.passes.pipeline",
    "Stage": "myjit.passes.pipeline",
    "devices": "myjit.info",
    "explain": "myjit.explanation",
    "export": "myjit.exporting",
    "is_available": "myjit.info",
    "kernel": "myjit.user_kernels",
    "list_options": "myjit.options",
    "load": "myjit.runtime.loaded",
    "pattern": "myjit.passes.pattern",
    "refit": "myjit.refitting",
    "register_pass": "myjit.passes.registered",
    "reset": "myjit.info",
    "stats": "myjit.info",
}

__all__ = [*_NAMES, "errors", "pipelines"]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    if name in ("errors", "pipelines"):
        return importlib.import_module(f"myjit.{name}")
    raise AttributeError(f"module 'myjit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
