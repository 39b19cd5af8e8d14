"""Let the published torchvision load beside a CPU build of torch (development environment only).

The torchvision that package indexes serve for Linux is linked to CUDA. Beside a CPU-only torch its
extension cannot be loaded, and importing it then fails on "operator torchvision::nms does not
exist", taking timm and parts of transformers with it. Declaring its operators is enough: the
models that are tested here call none of them.

`make` copies this file into .venv with a one-line .pth that imports it at start-up, so that tests,
benchmarks, examples and worker processes need not know. It adds one finder and imports nothing
else. Where the extension does load, it does nothing. Remove it once a CPU torchvision is pinned.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

OPERATORS = ("nms", "qnms")
_libraries = []  # a torch.library.Library takes its operators away when it is collected


class _BeforeTorchvision:
    """Declare the operators just before the first import of torchvision."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != "torchvision":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name)
        if spec is not None and spec.origin is not None:
            _declare_missing_operators(Path(spec.origin).parent)
        return spec


def _declare_missing_operators(package: Path) -> None:
    import torch

    try:
        for extension in package.glob("_C*.so"):
            torch.ops.load_library(str(extension))
            return
    except OSError:
        library = torch.library.Library("torchvision", "FRAGMENT")
        for operator in OPERATORS:
            library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _libraries.append(library)


sys.meta_path.insert(0, _BeforeTorchvision())
