"""Elements of slices are read where they lie, whatever lies between them."""

from __future__ import annotations

import pytest
import torch

FORMS = {
    "of a column": lambda x, i: x[:, 0][i],
    "of columns": lambda x, i: x[:, 1:3][i],
    "of columns in steps": lambda x, i: x[:, ::2][i],
    "of rows in steps": lambda x, i: x[::2][i // 2],
    "gathered": lambda x, i: x[:, 1].gather(0, i),
    "of a column of images": lambda x, i: x.view(-1, 2, 2)[:, 1, 0][i],
    "of a column, in a row": lambda x, i: x[:, 1][None, None][..., i],
    "of merged rows": lambda x, i: x[:, 1:].flatten()[i],
    "of split rows": lambda x, i: x[:, 2:].unflatten(1, (1, -1))[i],
    "backwards": lambda x, i: (x[:, ::2].flip(1), x[:, 1].flip(0)),
    "repeated": lambda x, i: x[:, 1].repeat_interleave(2),
    "written": lambda x, i: torch.zeros_like(x).select_scatter(x[:, 2], 1, 1),
    "copied": lambda x, i: torch.zeros_like(x[:, 0]).copy_(x[:, 1]),
    "wrapped around": lambda x, i: torch.nn.functional.pad(x[None, None], (1, 1, 1, 1), mode="circular"),
}


@pytest.mark.parametrize("dynamic", [False, True])
def test_equal_to_eager(each_equals_eager, dynamic):
    x, i = torch.randn(6, 4), torch.tensor([3, 0, 5, 2, 2])
    each_equals_eager(FORMS, x, i, options={"dynamic": dynamic})


PARTS = {
    "one of the last, permuted": lambda x, i: x[:, i, None, i, 0],
    "one of the first": lambda x, i: x[1, i, :, i],
    "some of the last": lambda x, i: x[:, i, i][..., 2:],
    "some of the last, permuted": lambda x, i: x[..., 2:].permute(3, 1, 2, 0)[:, i, i],
    "in steps": lambda x, i: x[..., ::2].mT[i, i],
}


def test_parts_that_kernels_load(target, device, each_equals_eager):
    x, i = torch.randn(8, 8, 8, 8, device=device), torch.tensor([3, 0, 5], device=device)
    each_equals_eager(PARTS, x, i, options={"target": target})


@pytest.mark.parametrize("form", FORMS)
def test_sizes_that_change(compiled, form):
    run = compiled(FORMS[form], dynamic=True)
    for rows, columns in ((6, 4), (9, 8), (40, 32)):
        x, i = torch.randn(rows, columns), torch.randint(0, rows, (7,))
        torch.testing.assert_close(run(x, i), FORMS[form](x, i))
