"""The memories that a dispatch's kernel reads and writes, as vectors see them."""

from __future__ import annotations

from typing import Any

from myjit.mlir.context import bindings

#: The operation that gives the tensor that a memory holds.
LOAD = "iree_codegen.load_from_buffer"
#: What memory holds as it is: IREE changes the type of others (truth values) later on.
_ELEMENTS = ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8")


def has_rows(memory: Any) -> bool:
    """Tell whether what lies along a memory's last dimension lies one after the other, as it is."""
    strides, _ = bindings(memory).ir.MemRefType(memory.type).get_strides_and_offset()
    return is_plain(memory) and (not strides or strides[-1] == 1)


def is_plain(memory: Any) -> bool:
    """Tell whether a memory holds its elements as they are."""
    return str(bindings(memory).ir.ShapedType(memory.type).element_type) in _ELEMENTS
