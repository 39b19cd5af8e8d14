"""Boxes, and what is around them: every element of a tensor lies in exactly one."""

from __future__ import annotations

import itertools

import pytest

from myjit.mlir.boxes import Box, around

pytestmark = pytest.mark.every_variant


def places(box: Box) -> list[tuple[int, ...]]:
    ranges = [
        range(offset, offset + size * step, step) for offset, size, step in zip(*box.lists(), strict=True)
    ]
    return list(itertools.product(*ranges))


def box(*dimensions: tuple[int, int, int]) -> Box:
    return Box(*(tuple(numbers) for numbers in zip(*dimensions, strict=True)))


APART = {
    "one inside": [box((1, 2, 1), (2, 3, 1))],
    "all": [Box.whole((5, 7))],
    "at two ends": [box((0, 5, 1), (0, 2, 1)), box((0, 5, 1), (4, 3, 1))],
    "in steps": [box((1, 2, 2), (0, 3, 3))],
    "in steps of one dimension": [box((0, 5, 1), (1, 3, 2))],
    "across what two others leave": [
        box((1, 3, 1), (1, 5, 1)),
        box((0, 1, 1), (0, 7, 1)),
        box((1, 4, 1), (0, 1, 1)),
    ],
    "none": [],
}


@pytest.mark.parametrize("name", APART)
def test_around(name):
    boxes = APART[name]
    rest = around((5, 7), boxes)
    assert rest is not None
    assert sorted(place for each in (*boxes, *rest) for place in places(each)) == places(Box.whole((5, 7)))


ABOVE = {
    "the same twice": [box((1, 2, 1), (2, 3, 1))] * 2,
    "a corner in common": [box((0, 3, 1), (0, 3, 1)), box((2, 3, 1), (2, 3, 1))],
    "outside": [box((3, 4, 1), (0, 2, 1))],
    "in steps, with others beside": [box((1, 2, 2), (0, 3, 3)), box((0, 1, 1), (0, 7, 1))],
}


@pytest.mark.parametrize("name", ABOVE)
def test_nothing_is_said_of_boxes_above_each_other(name):
    assert around((5, 7), ABOVE[name]) is None


def test_a_box_within_another_keeps_short_dimensions():
    outer = Box((3, 0, 2), (1, 4, 6), (1, 1, 1))
    assert outer.long() == [1, 2]
    assert outer.inner([1, 2], [2, 3]) == Box((3, 1, 4), (1, 2, 3), (1, 1, 1))
