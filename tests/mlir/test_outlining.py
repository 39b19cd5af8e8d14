"""What is outlined is erased, and nobody goes on with it."""

from __future__ import annotations

from myjit.mlir.context import new_context, parse
from myjit.mlir.operations import operations
from myjit.mlir.outlining import outline

PROGRAM = """
!t = !torch.vtensor<[4],f32>
func.func @main(%x: !t) -> (!t, !t) {
  %0 = torch.aten.sin %x : !t -> !t
  %1 = torch.aten.cos %0 : !t -> !t
  %2 = torch.aten.exp %1 : !t -> !t
  return %0, %2 : !t, !t
}"""


def test_operations_that_are_erased_are_waited_for_no_more():
    module = parse(PROGRAM, new_context())
    waiting = list(operations(module.operation))
    sine, _, exponential = (op for op in waiting if op.name.startswith("torch."))
    (x,) = sine.operands
    with module.context:
        outline(module, "call", [x], exponential.results[0], waiting)
    assert [op.name for op in waiting] == ["func.func", "torch.aten.sin", "func.return"]
    names = [op.name for op in operations(module.body.operations[0].operation)]
    assert names == ["torch.aten.sin", "func.call", "func.return"]
