"""Write out remainders for CPUs: IREE links kernels with a `fmodf` for one number, and with no `fmod`.

Exactly, as C does: a difference of a number and a multiple of another, as small as the other, holds no
digits that float64 has not. One fused multiplication and addition finds it where the quotient has fewer than
53 bits; of larger ones, multiples of the divisor times powers of two are taken off before. What is left of
float32 is a number of float32, so float64 finds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.kernel_functions import replace_by_calls
from myjit.mlir.operations import operations, variants
from myjit.passes.base import Pass

#: Frozen are lanes that nothing reads: they may be poison, on which nothing may branch.
#: {type} is float64 or a vector of it, {truth} as many truth values; {number} writes a constant of a type.
_FUNCTION = """
llvm.func internal @{name}(%x: {type}, %y: {type}) -> {type} attributes {{sym_visibility = "private"}} {{
  %nothing = llvm.mlir.constant({zero}) : {type}
  %one = llvm.mlir.constant({one}) : {type}
  %no_number = llvm.mlir.constant({no_number}) : {type}
  %infinite = llvm.mlir.constant({infinite}) : {type}
  %step = llvm.mlir.constant({step}) : {type}
  %limit = llvm.mlir.constant({limit}) : {type}
  %number = llvm.freeze %x : {type}
  %by = llvm.freeze %y : {type}
  %size = llvm.intr.fabs(%number) : ({type}) -> {type}
  %given = llvm.intr.fabs(%by) : ({type}) -> {type}
  %is_divisor = llvm.fcmp "ogt" %given, %nothing : {type}
  %is_finite = llvm.fcmp "olt" %size, %infinite : {type}
  %valid = llvm.and %is_divisor, %is_finite : {truth}
  %first = llvm.select %valid, %size, %nothing : {truth}, {type}
  %divisor = llvm.select %valid, %given, %one : {truth}, {type}
  llvm.br ^next(%first : {type})
^next(%rest: {type}):
  %left = llvm.fcmp "oge" %rest, %divisor : {type}
  {any_left}
  llvm.cond_br %any_left, ^scale(%divisor : {type}), ^done
^scale(%taken: {type}):
  %quotient = llvm.fdiv %rest, %taken : {type}
  %large = llvm.fcmp "oge" %quotient, %limit : {type}
  %larger = llvm.fmul %taken, %step : {type}
  %next_taken = llvm.select %large, %larger, %taken : {truth}, {type}
  {any_large}
  llvm.cond_br %any_large, ^scale(%next_taken : {type}), ^subtract
^subtract:
  %whole = llvm.intr.trunc(%quotient) : ({type}) -> {type}
  %minus = llvm.fneg %whole : {type}
  %difference = llvm.intr.fma(%minus, %taken, %rest) : ({type}, {type}, {type}) -> {type}
  %below = llvm.fcmp "olt" %difference, %nothing : {type}
  %plus = llvm.fadd %difference, %taken : {type}
  %smaller = llvm.select %below, %plus, %difference : {truth}, {type}
  %kept = llvm.select %left, %smaller, %rest : {truth}, {type}
  llvm.br ^next(%kept : {type})
^done:
  %signed = llvm.intr.copysign(%rest, %x) : ({type}, {type}) -> {type}
  %result = llvm.select %valid, %signed, %no_number : {truth}, {type}
  llvm.return %result : {type}
}}
llvm.func @uses(%x: {type}, %y: {type}) -> {type} {{
  %result = llvm.call @{name}(%x, %y) : ({type}, {type}) -> {type}
  llvm.return %result : {type}
}}
"""
_NUMBERS = {
    "zero": "0.0",
    "one": "1.0",
    "no_number": "0x7FF8000000000000",
    "infinite": "0x7FF0000000000000",
    "step": f"{2.0**50}",
    "limit": f"{2.0**52}",
}


@dataclass(frozen=True)
class WriteOutRemainders(Pass):
    """Call functions of the kernel's own for remainders of float64 and float32, and of vectors of them."""

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module, whose kernels are LLVM's, in place."""
        for variant in variants(module):
            for op in [op for op in operations(variant) if op.name == "llvm.frem"]:
                if str(op.results[0].type).removesuffix(">").endswith("f32"):
                    _widen(op)
        replace_by_calls(module, "myjit_remainder", _divided, _function)


def _widen(op: Any) -> None:
    """Take a remainder of float32 in float64."""
    ir, narrow = bindings(op).ir, op.results[0].type
    wide = ir.Type.parse(str(narrow).replace("f32", "f64"))
    with ir.InsertionPoint(op), op.location:
        sides = [ir.Operation.create("llvm.fpext", [wide], [side]).results[0] for side in op.operands]
        rest = ir.Operation.create("llvm.frem", [wide], sides).results[0]
        op.results[0].replace_all_uses_with(ir.Operation.create("llvm.fptrunc", [narrow], [rest]).results[0])
    op.erase()


def _divided(op: Any) -> list[Any] | None:
    return list(op.operands) if op.name == "llvm.frem" and _is_wide(str(op.results[0].type)) else None


def _is_wide(kind: str) -> bool:
    return kind == "f64" or (kind.startswith("vector<") and kind.endswith("xf64>") and kind.count("x") == 1)


def _function(kind: str, name: str) -> str:
    is_vector = kind != "f64"
    truth = kind.replace("f64", "i1")
    numbers = {
        what: f"dense<{number}> : {kind}" if is_vector else f"{number} : f64"
        for what, number in _NUMBERS.items()
    }
    found = {
        f"any_{which}": f'%any_{which} = "llvm.intr.vector.reduce.or"(%{which}) : ({truth}) -> i1'
        if is_vector
        else f"%any_{which} = llvm.freeze %{which} : i1"
        for which in ("left", "large")
    }
    return _FUNCTION.format(name=name, type=kind, truth=truth, **numbers, **found)
