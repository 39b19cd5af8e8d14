"""Expands that change nothing are left out, others are not."""

from __future__ import annotations

import torch
from torch.nn import functional as F


def test_attention_of_a_length_that_changes(compiled, tmp_path):
    run = compiled(lambda q: F.scaled_dot_product_attention(q, q, q), dynamic=True, dump=str(tmp_path))
    for length in (5, 40):
        q = torch.randn(2, 3, length, 8)
        torch.testing.assert_close(run(q), F.scaled_dot_product_attention(q, q, q))
    (program,) = tmp_path.glob("*/00-input.mlir")
    assert "torch.aten.expand" not in program.read_text()


def test_what_an_expand_changes_stays(compiled):
    run = compiled(lambda x, n: (x.expand(n, -1, -1) * 2, x.expand(1, -1, -1) + 1), dynamic=True)
    for rows in (3, 6):
        x = torch.randn(1, rows, 4)
        for found, expected in zip(run(x, rows), (x.expand(rows, -1, -1) * 2, x + 1), strict=True):
            torch.testing.assert_close(found, expected)


def test_an_input_itself(compiled):
    run = compiled(lambda x: (x.expand(x.shape), x + 1), dynamic=True)
    x = torch.randn(3, 4)
    same, more = run(x)
    assert same.data_ptr() == x.data_ptr()
    assert torch.equal(more, x + 1)
