"""`bind-outputs` appends one result buffer for each marked output, and only for those."""

from __future__ import annotations

from iree.compiler import ir

from myjit.transforms.bind_outputs import BindOutputs

SOURCE = """
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {MARK} {
  return %a, %a : tensor<4xf32>, tensor<4xf32>
}"""


def run(mark: str) -> str:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(SOURCE.replace("MARK", mark))
        BindOutputs().run(module)
        assert module.operation.verify()
        return str(module)


def test_a_marked_output_gets_a_buffer():
    text = run("myjit.outputs = [1]")
    assert "%arg1: !hal.buffer {iree.abi.output = 1 : index}" in text
    assert "myjit.outputs" not in text


def test_an_unmarked_function_stays_as_it_is():
    assert "!hal.buffer" not in run("other = 1")
