"""Rows read out of tables: of every width and type, in places that the data names in any way."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

TABLE, ORDER = torch.randn(300, 64), torch.randperm(300)
FUNCTIONS = {
    "rows": lambda i: TABLE[i],
    "embedding": lambda i: F.embedding(i, TABLE) + TABLE[: i.shape[-1]],
    "rows counted from the end": lambda i: TABLE[-1 - i],
    "rows of a half": lambda i: TABLE.half()[i] * 2,
    "rows of bits": lambda i: (TABLE > 0)[i],
    "rows of an odd width": lambda i: TABLE[:, :37].contiguous()[i],
    "rows of every other number": lambda i: TABLE[:, ::2][i],
    "rows of rows": lambda i: TABLE[(i * 7 + 3) % 300],
    "places out of a table": lambda i: TABLE[ORDER[i]],
    "normalised rows": lambda i: F.layer_norm(F.embedding(i, TABLE), (64,)),
    "sums of rows": lambda i: TABLE[i].sum(-1) + TABLE[i].amax(-1),
    "rows where a mask is": lambda i: torch.where((i > 100)[..., None], TABLE[i], 0.0),
    "columns": lambda i: TABLE.t().contiguous()[:, i],
    "places in rows and columns": lambda i: TABLE[i, i % 64],
}


@pytest.mark.parametrize("shape", [(7,), (2, 64), (1, 3, 33)], ids=str)
def test_equal_to_eager(shape, each_equals_eager):
    each_equals_eager(FUNCTIONS, torch.randint(0, 300, shape))


@pytest.mark.parametrize("name", ["rows", "embedding", "places out of a table", "normalised rows"])
def test_alone(name, compiled):
    places = torch.randint(0, 300, (2, 64))
    run = compiled(FUNCTIONS[name], dynamic=False)
    torch.testing.assert_close(run(places), FUNCTIONS[name](places))


def test_numbers_of_rows_that_change(compiled):
    run = compiled(FUNCTIONS["embedding"], dynamic=True)
    for n in (5, 1, 64):
        places = torch.randint(0, 300, (2, n))
        torch.testing.assert_close(run(places), FUNCTIONS["embedding"](places))


def test_a_row_that_is_not_there(compiled):
    run = compiled(FUNCTIONS["rows"], dynamic=False)
    run(torch.tensor([0, 299]))
    with pytest.raises(IndexError):
        run(torch.tensor([0, 300]))
