"""Which slices begin within what is read at once."""

from __future__ import annotations

import pytest

from myjit.mlir.slices import begins_within_vector


@pytest.mark.parametrize(
    ("whole", "offsets", "sizes", "within"),
    [
        ((8, 16), (0, 1), (8, 8), True),
        ((8, 16), (0, 2), (8, 8), True),
        ((8, 16), (0, 4), (8, 8), False),
        ((8, 16), (1, 0), (4, 16), False),
        ((8, 16), (0, 1), (8, 7), False),
        ((8, 15), (0, 1), (8, 8), False),
        ((8, 6), (0, 1), (8, 2), True),
        ((8, 6, 2), (0, 1, 0), (8, 4, 2), True),
        ((8, 6, 4), (0, 1, 0), (8, 4, 4), False),
        ((8, 6, 3), (0, 1, 0), (8, 5, 3), False),
        ((8, 16), (0, None), (8, 8), True),
        ((8, 15), (0, None), (8, 8), False),
        ((8, -1), (0, 1), (8, 8), True),
        ((8, -1), (0, 4), (8, None), False),
        ((8, 16), (0, 0), (8, 16), False),
        ((), (), (), False),
    ],
)
def test_where_slices_begin(whole, offsets, sizes, within):
    assert begins_within_vector(whole, offsets, sizes) == within
