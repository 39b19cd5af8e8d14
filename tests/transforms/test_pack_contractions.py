"""Products that are packed, and what is fused onto both of their ends, equal eager."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import linear, scaled_dot_product_attention

from myjit.mlir.context import new_iree_context
from myjit.mlir.operations import operations
from myjit.transforms.pack_contractions import PackContractions


@pytest.mark.parametrize("shape", [(96, 64, 32), (97, 33, 15), (128, 1, 40), (200, 16, 800)])
def test_linear_layers(shape: tuple[int, int, int], compiled):
    rows, depth, columns = shape
    x, w, b = torch.randn(rows, depth), torch.randn(columns, depth), torch.randn(columns)

    def function(x, w, b):
        return torch.relu(linear(x, w, b)), x @ w.t()

    run = compiled(function, dynamic=False)
    torch.testing.assert_close(run(x, w, b), function(x, w, b), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    "between",
    [
        lambda y: y.relu(),
        lambda y: y.reshape(8, 12, 64).permute(1, 0, 2).reshape(96, 64),
        lambda y: y.softmax(-1),
        lambda y: torch.nn.functional.layer_norm(y, (64,)),
        lambda y: y + y.flip(0),
        lambda y: torch.cat([y[:, 32:], y[:, :32]], 1),
    ],
)
def test_one_product_after_the_other(between, compiled):
    a, b, w = torch.randn(96, 16), torch.randn(16, 64), torch.randn(32, 64)

    def function(a, b, w):
        return linear(between(a @ b), w)

    run = compiled(function, dynamic=False)
    torch.testing.assert_close(run(a, b, w), function(a, b, w), atol=1e-4, rtol=1e-4)


def test_an_attention_before_a_linear_layer(compiled):
    q, w = torch.randn(2, 4, 100, 16), torch.randn(64, 64)

    def function(q, w):
        return linear(scaled_dot_product_attention(q, q, q).transpose(1, 2).reshape(2, 100, 64), w)

    run = compiled(function, dynamic=False)
    torch.testing.assert_close(run(q, w), function(q, w), atol=1e-4, rtol=1e-4)


def test_gradients(compiled):
    layers = torch.nn.Sequential(torch.nn.Linear(40, 100), torch.nn.GELU(), torch.nn.Linear(100, 24))
    x = torch.randn(100, 40, requires_grad=True)
    expected = torch.autograd.grad(layers(x).square().sum(), [x, *layers.parameters()])
    actual = torch.autograd.grad(compiled(layers)(x).square().sum(), [x, *layers.parameters()])
    torch.testing.assert_close(actual, expected, atol=1e-3, rtol=1e-3)


def test_a_long_chain_of_sums_behind_a_product():
    """Each sum takes its left neighbour twice: 2**2000 ways lead back to the first product."""
    from iree.compiler import ir

    steps = "".join(
        f"""
  %x{i + 1} = linalg.generic {{
      indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}}
      ins(%x{i}, %x{i} : tensor<128x64xf32>, tensor<128x64xf32>) outs(%x{i} : tensor<128x64xf32>) {{
  ^bb0(%one: f32, %other: f32, %before: f32):
    %s = arith.addf %one, %other : f32
    linalg.yield %s : f32
  }} -> tensor<128x64xf32>"""
        for i in range(2000)
    )
    module = ir.Module.parse(
        f"""
#same = affine_map<(m, n) -> (m, n)>
#left = affine_map<(m, n, k) -> (m, k)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
util.func public @f(%a: tensor<128x32xf32>, %b: tensor<32x64xf32>, %o: tensor<128x64xf32>,
                    %w: tensor<33x64xf32>, %p: tensor<128x33xf32>) -> tensor<128x33xf32> {{
  %x0 = linalg.matmul ins(%a, %b : tensor<128x32xf32>, tensor<32x64xf32>)
      outs(%o : tensor<128x64xf32>) -> tensor<128x64xf32>{steps}
  %y = linalg.matmul indexing_maps = [#left, #transposed, #result]
      ins(%x2000, %w : tensor<128x64xf32>, tensor<33x64xf32>)
      outs(%p : tensor<128x33xf32>) -> tensor<128x33xf32>
  util.return %y : tensor<128x33xf32>
}}""",
        new_iree_context(),
    )
    with module.context:
        PackContractions().run(module)
    marked = [op for op in operations(module.operation) if "iree.opt.data_tiling" in op.attributes]
    assert [op.name for op in marked] == ["util.func", "linalg.matmul", "linalg.matmul"]
