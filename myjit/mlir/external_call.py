"""Build a `hal.dispatch.extern` whose kernel's name says what is to be called in its place.

When the launches are read, the name turns into a call (`myjit/launches.py`). The kernel itself is a trap, so
that a program which comes to run it after all ends rather than compute something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from myjit.mlir.context import bindings

#: The module attribute that holds the device's executable target, in programs that will be read as launches.
TARGET_ATTRIBUTE = "myjit.executable_target"

_TRAP = """\
.version 7.0
.target sm_60
.address_size 64
.visible .entry {name}()
{{
  trap;
}}
"""
_EXTERN = """\
module {{
  func.func private @f({arguments}) -> {result} {{
    %0 = "hal.dispatch.extern"({names}) <{{export_name = "{name}",
      layout = #hal.pipeline.layout<bindings = [{bindings}]>,
      operandSegmentSizes = array<i32: 0, {count}, 0, 0>, target_objects = [[#hal.executable.object<{{
        path = "{name}.ptx", data = dense<[{code}]> : vector<{size}xi8>}}>]],
      target_ordinals = [0 : index], targets = [{target}], tied_operands = [-1 : index],
      workgroup_size = [32 : index, 1 : index, 1 : index], subgroup_size = 32 : index}}> ({{
    ^bb0(%device: !hal.device):
      %one = "arith.constant"() <{{value = 1 : index}}> : () -> index
      "hal.return"(%one, %one, %one) : (index, index, index) -> ()
    }}, {{
    }}) : ({types}) -> {result}
    return %0 : {result}
  }}
}}"""


def call_externally(result: Any, name: str, given: Sequence[Any], target: str) -> Any:
    """Build the call `name` of the values `given` in front of what makes `result`, and return its value.

    `target` is the device's executable target, as MLIR writes it.
    """
    code = _TRAP.format(name=name).encode()
    reading = "#hal.pipeline.binding<storage_buffer, ReadOnly>"
    text = _EXTERN.format(
        arguments=", ".join(f"%a{i}: {v.type}" for i, v in enumerate(given)),
        names=", ".join(f"%a{i}" for i in range(len(given))),
        types=", ".join(str(v.type) for v in given),
        bindings=", ".join([reading] * len(given) + ["#hal.pipeline.binding<storage_buffer>"]),
        result=result.type,
        count=len(given),
        name=name,
        code=", ".join(str(b) for b in code),
        size=len(code),
        target=target,
    )
    owner = getattr(result.owner, "operation", result.owner)
    ir = bindings(owner).ir
    parsed = ir.Module.parse(text, owner.context)
    body = parsed.body.operations[0].operation.regions[0].blocks[0]
    copy = body.operations[0].operation.clone(ir.InsertionPoint(owner))
    for i, value in enumerate(given):
        copy.operands[i] = value
    return copy.results[0]
