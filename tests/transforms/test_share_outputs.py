"""Results that the program itself reads again are right, and written once."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import gelu, layer_norm, linear, softmax

from myjit.mlir.context import new_iree_context, parse
from myjit.mlir.operations import operations
from myjit.transforms.share_outputs import ShareOutputs


def _written(x):
    y = x.clone()
    y[1:] = 3
    return x, y, x + y


FUNCTIONS = {
    "chain": lambda x: (y := x.sin() @ x, z := y.relu() @ x, z.exp() + y),
    "views": lambda x: (y := x @ x, y.reshape(-1), y.t(), y.reshape(2, 8, 16) @ x),
    "twice": lambda x: (y := x @ x, y.clone(), y + 1, y @ y),
    "reductions": lambda x: (y := softmax(x @ x, -1), y.sum(-1), layer_norm(y, (16,)), y.argmax(-1)),
    "updates": lambda x: (y := x @ x, y.index_fill(0, torch.tensor([3]), 0.5) @ x, y[2:5].mul(2)),
    "written slices": lambda x: (y := x @ x, torch.slice_scatter(y, x[:2], 0, 4, 6), y.cumsum(0)),
    "inputs": lambda x: (x, y := x @ x, x.t(), y * x),
    "written rows": lambda x: _written(torch.cat([x, x + 1])),
    "written padding": lambda x: _written(torch.nn.functional.pad(x, (-1, 2))),
    "written views": lambda x: _written(torch.stack([x, x * 2]).reshape(32, 16)),
    "added rows": lambda x: (y := torch.cat([x, x]), y.index_add(0, torch.tensor([3]), x[:1])),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(name, compiled):
    x = torch.randn(16, 16) * 0.3
    run, expected = compiled(FUNCTIONS[name], dynamic=False), FUNCTIONS[name](x)
    first = run(x)
    torch.testing.assert_close(first, expected, rtol=1e-4, atol=1e-5)
    run(torch.randn(16, 16))  # results of an earlier call keep what they hold
    torch.testing.assert_close(first, expected, rtol=1e-4, atol=1e-5)


def test_what_a_backward_reads(compiled):
    w, v = torch.randn(48, 16), torch.randn(16, 48)
    x = torch.randn(12, 16, requires_grad=True)

    def function(x):
        hidden = gelu(linear(layer_norm(x, (16,)), w))
        return softmax(linear(hidden, v), -1), hidden

    def gradient(run):
        (grad,) = torch.autograd.grad(sum(y.square().sum() for y in run(x)), x)
        return grad

    actual, expected = gradient(compiled(function, dynamic=False)), gradient(function)
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)


def test_a_result_written_in_place_of_another(compiled):
    def function(x, y):
        z = x @ x
        x.copy_(z)
        y.add_(z @ z)
        return z

    pairs = [[torch.eye(8) * 2, torch.ones(8, 8)] for _ in range(2)]
    results = [run(*pair) for run, pair in zip((function, compiled(function)), pairs, strict=True)]
    torch.testing.assert_close(*results)
    torch.testing.assert_close(*pairs)


TEXT = """
util.func public @main(%x: tensor<8xf32>, %given: !hal.buffer) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = flow.dispatch @first(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = flow.dispatch @second(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %here = hal.tensor.export %1 : tensor<8xf32> -> !hal.buffer
  %2 = hal.tensor.alias %0 : tensor<8xf32> to %STORAGE : !hal.buffer
  util.return %2, %1 : tensor<8xf32>, tensor<8xf32>
}"""


@pytest.mark.parametrize(("storage", "moves"), [("given", True), ("here", False)])
def test_memory_that_comes_later_stays_where_it_is(storage, moves):
    module = parse(TEXT.replace("STORAGE", storage), new_iree_context())
    ShareOutputs().run(module)
    assert module.operation.verify()
    names = [op.name for op in operations(module.operation)]
    assert (names.index("hal.tensor.alias") == names.index("flow.dispatch") + 1) is moves
