"""Make SPIR-V kernels compute with NaN, infinity and -0 as torch does.

Vulkan lets a driver reckon as if there were none: lavapipe turned inf - inf into 0. Kernels ask for more by
an execution mode, where the device offers it (SPV_KHR_float_controls); IREE 3.13 cannot write that. What
drivers make of it differs: NVIDIA's did as torch in every case tried, lavapipe (Mesa 22.3) loses NaN * 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations, variants
from myjit.passes.base import Pass

_TRIPLE = re.compile(r"<v1\.(\d), \[(.*)\], \[(.*)\]>")


@dataclass(frozen=True)
class KeepNan(Pass):
    """Give each kernel the execution mode SignedZeroInfNanPreserve, for each width of floats in it."""

    #: What the target's features hold where the device offers the mode.
    OFFERED: ClassVar[str] = "cap:SignedZeroInfNanPreserve"

    def run(self, module: Any) -> None:
        """Rewrite the kernels of a module in place."""
        for variant in variants(module):
            if self.OFFERED in str(variant.attributes["target"]):
                for op in list(operations(variant)):
                    if op.name == "spirv.module":
                        _keep(op)


def _keep(kernels: Any) -> None:
    ir = bindings(kernels).ir
    text = str(kernels)
    widths = [width for width in (16, 32, 64) if re.search(rf"(?:\b|x)f{width}\b", text)]
    entries = [op for op in operations(kernels) if op.name == "spirv.EntryPoint"]
    if not widths:
        return
    triple = _TRIPLE.search(str(kernels.attributes["vce_triple"]))
    assert triple is not None
    version, capabilities, extensions = triple.groups()
    kernels.attributes["vce_triple"] = ir.Attribute.parse(
        f"#spirv.vce<v1.{version}, [{_with(capabilities, 'SignedZeroInfNanPreserve')}], "
        f"[{_with(extensions, 'SPV_KHR_float_controls')}]>",
        kernels.context,
    )
    for entry in entries:
        for width in widths:
            with ir.InsertionPoint.after(entry), entry.location:
                ir.Operation.create(
                    "spirv.ExecutionMode",
                    attributes={
                        "fn": entry.attributes["fn"],
                        "execution_mode": ir.Attribute.parse(
                            "#spirv.execution_mode<SignedZeroInfNanPreserve>"
                        ),
                        "values": ir.Attribute.parse(f"[{width} : i32]"),
                    },
                )


def _with(names: str, name: str) -> str:
    return f"{names}, {name}" if names else name
