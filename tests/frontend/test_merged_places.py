"""Places along several dimensions are read as one, and each is checked by itself."""

from __future__ import annotations

import pytest
import torch

READS = {
    "two": lambda x, i, j: x[i, j],
    "three": lambda x, i, j: x[i, j, i],
    "broadcast": lambda x, i, j: x[i[:, None], j],
    "all": lambda x, i, j: x[i, j, j, i],
}


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
@pytest.mark.parametrize("form", READS)
def test_sizes_that_change(compiled, form, dtype):
    run = compiled(READS[form], dynamic=True)
    for size, count in ((5, 3), (6, 4), (4, 7)):
        x = torch.randn(size, size + 1, size + 2, size + 3)
        i, j = (torch.randint(-size, size, (count,), dtype=dtype) for _ in range(2))
        assert torch.equal(run(x, i, j), READS[form](x, i, j))


@pytest.mark.parametrize("places", [(7, 0), (0, 6), (-6, 0)])
def test_places_out_of_range(compiled, places):
    run = compiled(READS["two"], dynamic=True)
    x, zeros = torch.randn(5, 6, 3), torch.zeros(4, dtype=torch.long)
    assert torch.equal(run(x, zeros, zeros), x[zeros, zeros])
    i, j = (torch.tensor([0, place, 0, 0]) for place in places)
    with pytest.raises(IndexError, match="out of bounds"):
        run(x, i, j)
