"""A key is its named parts; a miss can be explained by them."""

from __future__ import annotations

from myjit.cache_key import CacheKey


def test_the_order_of_parts_does_not_matter():
    assert CacheKey.of({"a": "1", "b": "2"}) == CacheKey.of({"b": "2", "a": "1"})


def test_every_part_and_every_name_changes_the_digest():
    keys = [
        {"a": "1", "b": "2"},
        {"a": "1", "b": "3"},
        {"a": "1"},
        {"a": "1", "c": "2"},
        {"a": "1b", "": "2"},
    ]
    assert len({CacheKey.of(parts).digest for parts in keys}) == len(keys)


def test_a_miss_names_the_parts_that_differ():
    key = CacheKey.of({"graph": "g", "pipeline": "cpu 12", "iree": "3.13"})
    said = key.explain(CacheKey.of({"graph": "g", "pipeline": "cpu 34", "torch": "2.13"}))
    assert said == (
        "missed because iree: 3.13 is not absent; pipeline: cpu 12 is not cpu 34; torch: absent is not 2.13"
    )
    assert key.explain(key) == "the keys are the same"
