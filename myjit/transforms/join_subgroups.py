"""Reduce with one subgroup where IREE's GPU code generator would add up the first of several parts only.

Subgroups leave what they have reduced in shared memory, where the lanes along a reduced loop read it, one
part each; of parts that outnumber those lanes, only the first was read. Sums over two loops, the inner one of
40 elements for 5 subgroups of 4 lanes, came out as those of the first subgroup's elements (IREE 3.13 on CUDA,
without a word). Remove when tests/transforms/test_join_subgroups.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from myjit.mlir.dispatches import is_compiled_by
from myjit.mlir.gpu_dispatches import lists, set_threads, subgroup_size, write_lists
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_LANES, _REDUCED, _SUBGROUPS = "lane_basis", "partial_reduction", "subgroup_basis"
#: The lists that say what all threads of a workgroup take in a step, of loops that are reduced or not.
_STEPS = (_REDUCED, "serial")


@dataclass(frozen=True)
class JoinSubgroups(Pass):
    """Have one subgroup do what several would, in dispatches with fewer lanes than parts to read."""

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches in place."""
        for function in operations(module.operation):
            if is_compiled_by(function, "VectorDistribute"):
                configs = [(op, config) for op in operations(function) if (config := lists(op))]
                if any(_loses_parts(config) for _, config in configs):
                    for op, config in configs:
                        write_lists(op, _joined(config))
                    set_threads(function, subgroup_size(function))


def _loses_parts(config: dict[str, Any]) -> bool:
    if not {_LANES, _REDUCED, _SUBGROUPS} <= config.keys():
        return False
    lanes, subgroups = _by_loop(config[_LANES]), _by_loop(config[_SUBGROUPS])
    reduced = [loop for loop, step in enumerate(config[_REDUCED]) if step]
    # The code generator reads with lanes in powers of two, of the first loop that has as many.
    parts = prod(1 << (subgroups[loop] - 1).bit_length() for loop in reduced)
    return parts > max((lanes[loop] for loop in reduced), default=1)


def _joined(config: dict[str, Any]) -> dict[str, Any]:
    """Leave loops to one subgroup, with steps as much smaller."""
    if _SUBGROUPS not in config:
        return config
    counts, places = config[_SUBGROUPS]
    steps = {
        name: [step // n for step, n in zip(config[name], _by_loop(config[_SUBGROUPS]), strict=True)]
        for name in _STEPS
        if name in config
    }
    return config | steps | {_SUBGROUPS: [[1] * len(counts), places]}


def _by_loop(basis: list[list[int]]) -> list[int]:
    """Return how many share each loop: a basis holds such counts, and each loop's place among them."""
    counts, places = basis
    return [counts[place] for place in places]
