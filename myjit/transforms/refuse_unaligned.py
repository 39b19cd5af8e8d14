"""Refuse kernels that would read or write slices from where a vector begins, not where the slice does.

`separate-unaligned` says which, and leaves none; what IREE makes of a program after it is seen here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.diagnostics import refuse
from myjit.mlir.operations import operations, variants
from myjit.mlir.slices import begins_within_vector, where, whole_type
from myjit.passes.base import Pass

_PLACES = ("iree_tensor_ext.dispatch.tensor.load", "iree_tensor_ext.dispatch.tensor.store")
#: The code generator that takes elements one by one.
_ELEMENTS = "BaseDistribute"


@dataclass(frozen=True)
class RefuseUnaligned(Pass):
    """Fail where a kernel that goes by vectors reads or writes a slice that begins within one."""

    IS_CHECK: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Check the kernels of a module.

        Raises:
            PassError: naming each such operation, with its place.
        """
        found = (op for variant in variants(module) for op in _unaligned(variant))
        refuse((op, "IREE would begin this slice where a vector begins") for op in found)


def _unaligned(variant: Any) -> Iterator[Any]:
    for function in operations(variant):
        if function.name == "func.func" and _ELEMENTS not in str(function.attributes.get("translation_info")):
            for op in operations(function):
                if op.name in _PLACES and _begins_within_vector(op):
                    yield op


def _begins_within_vector(op: Any) -> bool:
    offsets, sizes, _ = where(op)
    return begins_within_vector(whole_type(op).shape, offsets, sizes)
