"""Compiled code leaves its inputs as they were, whatever it updates."""

from __future__ import annotations

import pytest
import torch

INDEX, VALUES = torch.tensor([1, 5]), torch.tensor([10.0, 20.0])
FUNCTIONS = {
    "scatter": lambda x: x.scatter(0, INDEX, VALUES),
    "scatter_add": lambda x: x.scatter_add(0, INDEX, VALUES),
    "index_put": lambda x: x.index_put((INDEX,), VALUES, accumulate=True),
    "through a view": lambda x: x.view(2, 4).flatten().index_put((INDEX,), VALUES),
    "slice": lambda x: x.slice_scatter(VALUES, 0, 2, 4),
    "sum": lambda x: x.cumsum(0),
    "returned as well": lambda x: (x * 2, (x * 2).scatter(0, INDEX, VALUES)),
    "twice": lambda x: (x.scatter(0, INDEX, VALUES), x.scatter_add(0, INDEX, VALUES)),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_inputs_stay(compiled, name, dynamic):
    x = torch.arange(8.0)
    expected = FUNCTIONS[name](x)
    actual = compiled(FUNCTIONS[name], dynamic=dynamic)(x)
    torch.testing.assert_close(actual, expected)
    assert torch.equal(x, torch.arange(8.0))


def test_half_and_integers(compiled):
    for dtype in (torch.bfloat16, torch.int32, torch.bool):
        x = torch.zeros(8, dtype=dtype)
        result = compiled(lambda x: x.scatter(0, INDEX, torch.ones(2, dtype=x.dtype)))(x)
        assert result.sum() == 2
        assert x.sum() == 0


@pytest.mark.parametrize("bias", [True, False])
def test_weights_of_a_convolution_of_one_pixel(compiled, bias):
    """Its bias starts the sums, and fills a tensor that has no more elements than the bias."""
    layer = torch.nn.Conv2d(8, 16, 1, bias=bias).eval()
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    x = torch.randn(1, 8, 1, 1)
    run = compiled(lambda x: torch.relu(layer(x)).mul(2.0), placement="compiled")
    with torch.no_grad():
        torch.testing.assert_close(run(x), torch.relu(layer(x)).mul(2.0))
    assert all(torch.equal(before[name], value) for name, value in layer.state_dict().items())
