"""Move what a kernel of `myjit/kernels/` computes into functions of its own, which `call-kernels` replaces.

Runs between the raising passes and `lower-fused`. The function's name says which kernel, and for what sizes;
its body stays the definition of what it computes, and is what is compiled where the kernel cannot run. Views
of what goes in and comes out are moved along: a kernel takes strides, so they cost no copy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from myjit.launches import call_name
from myjit.mlir.operations import known_name, operations
from myjit.mlir.outlining import KernelCall, outline
from myjit.passes.base import Pass
from myjit.transforms._attention_call import attention_call
from myjit.transforms._convolution_call import convolution_call
from myjit.transforms._op_calls import op_call
from myjit.transforms._row_calls import norm_call, softmax_call

_MATCHERS: dict[str, Callable[[Any], KernelCall | None]] = {
    "fused.attention": attention_call,
    "fused.masked_attention": attention_call,
    "fused.softmax": softmax_call,
    "fused.safe_softmax": softmax_call,
    "fused.layer_norm": norm_call,
    "fused.rms_norm": norm_call,
    "torch.aten.convolution": convolution_call,
}


@dataclass(frozen=True)
class OutlineKernels(Pass):
    """Outline attention, normalisation and softmax of known sizes, and ops with kernels of the program's own.

    `ops` names the latter, `kernels` their kernels. They are declared only, without a body.
    """

    ops: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()

    def run(self, module: Any) -> None:
        """Rewrite a torch-mlir module in place."""
        own = dict(zip((f"torch.{op}" for op in self.ops), self.kernels, strict=True))
        waiting = [op for op in operations(module.operation) if known_name(op) in {*own, *_MATCHERS}]
        while waiting:
            op = waiting.pop(0)
            name = known_name(op)
            call = op_call(op, own[name]) if name in own else _MATCHERS[name](op)
            if call is not None:
                symbol = call_name(call.kernel, call.numbers)
                outline(module, symbol, call.inputs, call.result, waiting, declared=name in own)
