"""Tensors that are read both whole and along their diagonals keep all of their elements."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FUNCTIONS = {
    "first dimensions": lambda x, v: x - v.diagonal(),
    "last dimensions": lambda x, v: x - v.diagonal(dim1=1, dim2=2),
    "of what is computed from it": lambda x, v: x - (v + 1).diagonal(),
    "transposed": lambda x, v: x - v.transpose(0, 2).diagonal(),
    "computed with": lambda x, v: x - v.diagonal().exp(),
    "written": lambda x, v: torch.diag_embed(v.diagonal()) - x,
    "read in two ways": lambda x, v: (x - v.diagonal(), x + v.transpose(0, 1)),
    "a norm": lambda x, v: F.rms_norm(x - v.diagonal(), x.shape[-1:]),
    "of a sum": lambda x, v: (v.sum(0), x - v.sum(0).diagonal()),
    "of rows": lambda x, v: (v[0].exp(), x[1] - v[0].exp().diagonal()),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", FUNCTIONS)
def test_equal_to_eager(compiled, target, device, form, dynamic):
    def function(x):
        v = x * x
        return v, FUNCTIONS[form](x, v)

    run = compiled(function, target=target, dynamic=dynamic)
    for size in (7, 4) if dynamic else (7,):
        x = torch.randn(size, size, size, device=device)
        torch.testing.assert_close(run(x), function(x), rtol=1e-5, atol=1e-5)
