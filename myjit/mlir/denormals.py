"""Numbers below the least normal one, which IREE's runtime has the processor take for zero.

torch computes with them (`(x + 1e-45).log()` is -103.28 where x is 0, not -inf). The mode is a thread's own,
in x86's MXCSR register; nothing is known here of other processors.
"""

from __future__ import annotations

from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.entries import PARAMETERS, exports, surround
from myjit.mlir.operations import symbol_name

#: Take denormal numbers for zero, and write zero for them.
_FLUSH = 0x8040
_KEEPS = "myjit.keeps_denormals"

#: Functions for the front of a kernel, which returns what the mode was, and for its end.
KEEPING_DENORMALS = f"""
llvm.func internal @myjit_keep_denormals() -> i32 attributes {{sym_visibility = "private"}} {{
  %one = llvm.mlir.constant(1 : i64) : i64
  %flush = llvm.mlir.constant({_FLUSH} : i32) : i32
  %kept = llvm.mlir.constant({~_FLUSH} : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %place = llvm.alloca %one x i32 : (i64) -> !llvm.ptr
  llvm.call_intrinsic "llvm.x86.sse.stmxcsr"(%place) : (!llvm.ptr) -> ()
  %mode = llvm.load %place : !llvm.ptr -> i32
  %flushes = llvm.and %mode, %flush : i32
  %is_kept = llvm.icmp "eq" %flushes, %zero : i32
  llvm.cond_br %is_kept, ^done, ^change
^change:
  %new = llvm.and %mode, %kept : i32
  llvm.store %new, %place : i32, !llvm.ptr
  llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"(%place) : (!llvm.ptr) -> ()
  llvm.br ^done
^done:
  llvm.return %mode : i32
}}

llvm.func internal @myjit_restore_mode(%mode: i32) attributes {{sym_visibility = "private"}} {{
  %one = llvm.mlir.constant(1 : i64) : i64
  %flush = llvm.mlir.constant({_FLUSH} : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %flushes = llvm.and %mode, %flush : i32
  %is_kept = llvm.icmp "eq" %flushes, %zero : i32
  llvm.cond_br %is_kept, ^done, ^change
^change:
  %place = llvm.alloca %one x i32 : (i64) -> !llvm.ptr
  llvm.store %mode, %place : i32, !llvm.ptr
  llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"(%place) : (!llvm.ptr) -> ()
  llvm.br ^done
^done:
  llvm.return
}}
"""
_ENTRY = f"""
llvm.func @{{kernel}}(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @myjit_keep_denormals() -> i32
llvm.func @myjit_restore_mode(i32)
llvm.func @{{name}}{PARAMETERS} {{{{
  %mode = llvm.call @myjit_keep_denormals() : () -> i32
  %code = llvm.call @{{kernel}}(%env, %dispatch, %group) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.call @myjit_restore_mode(%mode) : (i32) -> ()
  llvm.return %code : i32
}}}}
"""


def keep_denormals(variant: Any) -> None:
    """Have the kernels of an executable variant compute with denormal numbers."""

    def entry(export: Any, kernel: str) -> str:
        return _ENTRY.format(name=symbol_name(export), kernel=kernel)

    flushing = [export for export in exports(variant) if _KEEPS not in export.attributes]
    if "x86_64" in str(variant.attributes["target"]):
        surround(variant, flushing, KEEPING_DENORMALS, "_kernel", entry)


def keeps_denormals(export: Any) -> None:
    """Note that an exported kernel computes with denormal numbers by itself."""
    export.attributes[_KEEPS] = bindings(export).ir.UnitAttr.get(export.context)
