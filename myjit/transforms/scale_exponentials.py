"""Let AVX-512's own instruction scale exponentials: it ends at zero and at infinity by itself.

`write-out-exponentials` puts a power of two into a float's bits, for any machine: what is below the least
normal number, and beyond the greatest, is computed apart there and selected. `vscalefps` does all of that in
one operation, so half of what stood around the polynomial goes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.kernel_functions import replace_by_calls
from myjit.mlir.panels import registers
from myjit.passes.base import Pass
from myjit.transforms.write_out_exponentials import EXP, GREATEST, LOG2_E, LOG_2, ZERO_FROM

#: Numbers in a register.
_LANES = 16
_REGISTER = f"vector<{_LANES}xf32>"
_TO_INFINITY = ("llvm.fadd", "llvm.fsub")

#: Numbers are taken as these where they are less, or greater: their exponentials are zero and infinite too.
_NUMBERS = {
    "low": -104.0,
    "high": 89.0,
    "log2_e": LOG2_E,
    "round": 1.5 * 2**23,
    "minus_log_2": -LOG_2[0],
    "minus_log_2_rest": -LOG_2[1],
    **{f"factor_{power}": factor for power, factor in enumerate(EXP[:-1])},
    f"sum_{len(EXP) - 1}": EXP[-1],
}
#: {type} is a vector of whole registers, {truth} as many truth values. A NaN stays one.
_FUNCTION = """
llvm.func internal @{name}(%given: {type}) -> {type} attributes {{
    always_inline, sym_visibility = "private"}} {{
  {constants}
  %is_low = llvm.fcmp "ogt" %low, %given : {type}
  %above = llvm.select %is_low, %low, %given : {truth}, {type}
  %is_high = llvm.fcmp "olt" %high, %above : {type}
  %x = llvm.select %is_high, %high, %above : {truth}, {type}
  %shifted = llvm.intr.fma(%x, %log2_e, %round) : {ternary}
  %whole = llvm.fsub %shifted, %round : {type}
  %nearly = llvm.intr.fma(%whole, %minus_log_2, %x) : {ternary}
  %rest = llvm.intr.fma(%whole, %minus_log_2_rest, %nearly) : {ternary}
  {polynomial}
  %all = llvm.mlir.constant(-1 : i16) : i16
  %as_set = llvm.mlir.constant(4 : i32) : i32
  {scaled}
  llvm.return %result_{registers} : {type}
}}
llvm.func @uses(%x: {type}) -> {type} {{
  %result = llvm.call @{name}(%x) : ({type}) -> {type}
  llvm.return %result : {type}
}}
"""
#: One register of %sum_0 and %whole, scaled and put where it belongs in the result.
_SCALED = f"""
  %power_{{n}} = llvm.shufflevector %sum_0, %sum_0 {{taken}} : {{type}}
  %whole_{{n}} = llvm.shufflevector %whole, %whole {{taken}} : {{type}}
  %scaled_{{n}} = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%power_{{n}}, %whole_{{n}},
    %power_{{n}}, %all, %as_set) : ({_REGISTER}, {_REGISTER}, {_REGISTER}, i16, i32) -> {_REGISTER}
  %wide_{{n}} = llvm.shufflevector %scaled_{{n}}, %scaled_{{n}} {{widened}} : {_REGISTER}
  %result_{{next}} = llvm.shufflevector %result_{{n}}, %wide_{{n}} {{joined}} : {{type}}"""


@dataclass(frozen=True)
class ScaleExponentials(Pass):
    """Compute exponentials of vectors of float32 by `vscalefps` where a processor has it."""

    IS_TUNING: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module, whose kernels are LLVM's, in place."""
        found = registers(module)
        if found is not None and found.width == _LANES:
            replace_by_calls(module, "myjit_exponential", _argument, _function)


def _argument(op: Any) -> list[Any] | None:
    """Return what an operation ends the exponential of, as `write-out-exponentials` has it, if it does.

    That is `x <= greatest ? (x < zero from ? 0 : ...) * ... : x + infinity`, and `infinity - y` for x = -y.
    """
    if op.name != "llvm.select" or not _is_whole_registers(op.results[0].type):
        return None
    condition, finite, infinite = (value.owner for value in op.operands)
    if not _is(condition, "llvm.fcmp") or not _is(finite, "llvm.fmul") or not _is(infinite, *_TO_INFINITY):
        return None
    x, greatest = condition.operands
    above_zero = finite.operands[0].owner
    if _number(greatest) != GREATEST or math.inf not in [_number(each) for each in infinite.operands]:
        return None
    if not _is(above_zero, "llvm.select"):
        return None
    is_zero, _, power = (value.owner for value in above_zero.operands)
    if not _is(is_zero, "llvm.fcmp") or is_zero.operands[0] != x or _number(is_zero.operands[1]) != ZERO_FROM:
        return None
    return [x] if _is(power, "llvm.bitcast") else None


def _is(op: Any, *names: str) -> bool:
    return getattr(op, "name", "") in names


def _is_whole_registers(kind: Any) -> bool:
    text = str(kind)
    return text.startswith("vector<") and text.endswith("xf32>") and kind.shape[0] % _LANES == 0


def _number(value: Any) -> float | None:
    """Return the number that all of a constant vector's are; None if it is none, or they differ."""
    owner = value.owner
    if _is(owner, "llvm.extractvalue"):  # a vector of several dimensions is an array of vectors
        owner = owner.operands[0].owner
    if not _is(owner, "llvm.mlir.constant"):
        return None
    given = owner.attributes["value"]
    dense = isinstance(given, bindings(owner).ir.DenseFPElementsAttr)
    return given[0] if dense and given.is_splat else None


def _function(kind: str, name: str) -> str:
    lanes = int(kind.removeprefix("vector<").removesuffix("xf32>"))
    constants = [
        f"%{what} = llvm.mlir.constant(dense<{n}> : {kind}) : {kind}" for what, n in _NUMBERS.items()
    ]
    ternary = f"({kind}, {kind}, {kind}) -> {kind}"
    polynomial = [
        f"%sum_{power} = llvm.intr.fma(%sum_{power + 1}, %rest, %factor_{power}) : {ternary}"
        for power in reversed(range(len(EXP) - 1))
    ]
    registers = lanes // _LANES
    scaled = [_scaled(kind, lanes, n) for n in range(registers)]
    return _FUNCTION.format(
        name=name,
        type=kind,
        truth=kind.replace("f32", "i1"),
        ternary=ternary,
        registers=registers,
        constants="\n  ".join(constants),
        polynomial="\n  ".join(polynomial),
        scaled="".join([f"%result_0 = llvm.mlir.poison : {kind}", *scaled]),
    )


def _scaled(kind: str, lanes: int, register: int) -> str:
    places = range(register * _LANES, (register + 1) * _LANES)
    return _SCALED.format(
        type=kind,
        n=register,
        next=register + 1,
        taken=list(places),
        widened=[*range(_LANES), *[-1] * (lanes - _LANES)],
        joined=[lanes + places.index(each) if each in places else each for each in range(lanes)],
    )
