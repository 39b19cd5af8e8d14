"""Which libraries of its process a program may call: said by an attribute of the module."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from myjit.mlir.context import set_attribute

_ATTRIBUTE = "myjit.libraries"


def allow_calls(module: Any, libraries: Sequence[str]) -> None:
    """Say that there will be these libraries (`blas`, `openmp`) where the program runs."""
    if libraries:
        set_attribute(module, _ATTRIBUTE, json.dumps(list(libraries)))


def may_call(module: Any, library: str) -> bool:
    """Tell whether there will be a library where the program runs."""
    attributes = module.operation.attributes
    return _ATTRIBUTE in attributes and library in [name.value for name in attributes[_ATTRIBUTE]]
