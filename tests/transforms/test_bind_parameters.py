"""Named arguments become globals that the runtime fills; the others stay, in order."""

from __future__ import annotations

from myjit.mlir.context import new_iree_context, parse
from myjit.transforms.bind_parameters import BindParameters

SOURCE = """
func.func @main(%a: tensor<2xf32>, %w: tensor<2xf32>, %b: tensor<2xi64>, %v: tensor<3xf32>)
    -> (tensor<2xf32>, tensor<2xi64>, tensor<3xf32>)
    attributes {myjit.parameters = ["", "l.weight", "", "v"]} {
  %0 = arith.addf %a, %w : tensor<2xf32>
  return %0, %b, %v : tensor<2xf32>, tensor<2xi64>, tensor<3xf32>
}
"""


def test_named_arguments_become_parameters():
    module = parse(SOURCE, new_iree_context())
    with module.context, module.operation.location:
        BindParameters().run(module)
    module.operation.verify()
    text = str(module)
    assert (
        'util.global private @parameter_1 = #flow.parameter.named<"model"::"l.weight"> : tensor<2xf32>'
        in text
    )
    for number, name, kind in ((1, "l.weight", "2xf32"), (3, "v", "3xf32")):
        value = f'#flow.parameter.named<"model"::"{name}"> : tensor<{kind}>'
        assert f"util.global private @parameter_{number} = {value}" in text
    assert "func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xi64>)" in text
    assert "myjit.parameters" not in text
