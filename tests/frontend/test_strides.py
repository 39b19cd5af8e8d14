"""Results lie in memory as the op's own do, whatever it was decomposed to.

Torch's shape functions say how: its kernels lay some out otherwise (`max_pool1d`, `upsample_nearest1d`).
"""

from __future__ import annotations

import pytest
import torch

import myjit  # noqa: F401 registers the backend

F = torch.nn.functional

OPS = {
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "atan2": lambda x: x.atan2(x[0]),
    "baddbmm": lambda x: torch.baddbmm(x.mT @ x, x.mT, x),
    "pooling": lambda x: F.max_pool1d(x, 2),
    "upsampling": lambda x: F.interpolate(x, scale_factor=2),
    "pair": lambda x: torch.stack(x.unbind(2)[:2]),
    "attention": lambda x: F.scaled_dot_product_attention(*[x.unflatten(2, (4, -1)).transpose(1, 2)] * 3),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (0, 2, 1)])
@pytest.mark.parametrize("name", OPS)
def test_dimensions_lie_in_the_order_that_torch_traced(name, order, dynamic):
    x = torch.randn(*[(3, 6, 8)[dim] for dim in order]).permute(sorted(range(3), key=order.__getitem__))
    run = torch.compile(OPS[name], backend="myjit_mlir", dynamic=dynamic, options={"fallback": "error"})
    expected = torch.compile(OPS[name], backend="aot_eager", dynamic=dynamic)(x)
    found = run(x)
    torch.testing.assert_close(found, expected)
    assert found.stride() == expected.stride()


def test_a_view_of_a_result_that_torch_takes_again_outside_of_the_graph():
    def both(x):
        found = x.permute(2, 1, 0).softmax(1).log()
        return found, found.flatten()

    x = torch.randn(3, 4, 5, requires_grad=True)
    run = torch.compile(both, backend="myjit_mlir", options={"fallback": "error"})
    found, flat = run(x)
    torch.testing.assert_close(flat, both(x)[1])
    assert flat.data_ptr() == found.data_ptr()
