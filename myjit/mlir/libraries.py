"""What of its process a program may use: said by an attribute of the module."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from myjit.mlir.context import set_attribute

_ATTRIBUTE = "myjit.libraries"


def allow_use(module: Any, libraries: Sequence[str]) -> None:
    """Say that there will be these where the program runs: the libraries `blas` and `openmp`, and `amx`.

    The last are registers that Linux gives to processes that have asked for them.
    """
    if libraries:
        set_attribute(module, _ATTRIBUTE, json.dumps(list(libraries)))


def may_use(module: Any, library: str) -> bool:
    """Tell whether there will be a library where the program runs that an operation is part of."""
    outermost = module.operation
    while outermost.parent is not None:
        outermost = outermost.parent.operation
    attributes = outermost.attributes
    return _ATTRIBUTE in attributes and library in [name.value for name in attributes[_ATTRIBUTE]]
