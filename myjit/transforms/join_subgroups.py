"""Reduce with one subgroup where IREE's GPU code generator would add up the first of several parts only.

Subgroups leave what they have reduced in shared memory, where the lanes along a reduced loop read it, one
part each; of parts that outnumber those lanes, only the first was read. Sums over two loops, the inner one of
40 elements for 5 subgroups of 4 lanes, came out as a fifth of themselves (IREE 3.13, without a word). Remove
when tests/transforms/test_join_subgroups.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_CONFIG, _TRANSLATION = "lowering_config", "translation_info"
_LANES, _REDUCED, _SUBGROUPS = "lane_basis", "partial_reduction", "subgroup_basis"
#: The lists that say what all threads of a workgroup take in a step, of loops that are reduced or not.
_STEPS = (_REDUCED, "serial")


@dataclass(frozen=True)
class JoinSubgroups(Pass):
    """Have one subgroup do what several would, in dispatches with fewer lanes than parts to read."""

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches in place."""
        from iree.compiler.dialects.iree_gpu import LoweringConfigAttr

        for function in operations(module.operation):
            if function.name == "func.func" and _TRANSLATION in function.attributes:
                found = [op for op in operations(function) if _CONFIG in op.attributes]
                tiled = [op for op in found if LoweringConfigAttr.isinstance(op.attributes[_CONFIG])]
                if any(_loses_parts(_lists(op)) for op in tiled):
                    for op in tiled:
                        _join(op)
                    _shrink(function)


def _lists(op: Any) -> dict[str, Any]:
    """Return an operation's configuration; what is said of each loop is read from it with _by_loop()."""
    return {each.name: each.attr for each in op.attributes[_CONFIG].attributes}


def _by_loop(lists: dict[str, Any], name: str) -> list[int]:
    """Return the subgroups, or lanes, that share each loop: a basis is its counts, and each loop's place."""
    counts, places = ([int(n) for n in part] for part in lists[name])
    return [counts[place] for place in places]


def _loses_parts(lists: dict[str, Any]) -> bool:
    if not {_LANES, _REDUCED, _SUBGROUPS} <= lists.keys():
        return False
    steps, lanes, subgroups = lists[_REDUCED], _by_loop(lists, _LANES), _by_loop(lists, _SUBGROUPS)
    reduced = [loop for loop, step in enumerate(steps) if int(step)]
    # The code generator reads with lanes in powers of two, of the first loop that has as many.
    parts = prod(1 << (subgroups[loop] - 1).bit_length() for loop in reduced)
    return parts > max((lanes[loop] for loop in reduced), default=1)


def _join(op: Any) -> None:
    """Leave an operation's loops to one subgroup, with steps as much smaller."""
    from iree.compiler import ir
    from iree.compiler.dialects.iree_gpu import LoweringConfigAttr

    lists = _lists(op)
    if _SUBGROUPS not in lists:
        return
    subgroups = _by_loop(lists, _SUBGROUPS)
    with op.context:
        counts, places = lists[_SUBGROUPS]
        lists[_SUBGROUPS] = ir.ArrayAttr.get([_numbers([1] * len(counts)), places])
        for name in lists.keys() & set(_STEPS):
            steps = [int(step) for step in lists[name]]
            lists[name] = _numbers([step // n for step, n in zip(steps, subgroups, strict=True)])
        op.attributes[_CONFIG] = LoweringConfigAttr.get(ir.DictAttr.get(lists))


def _numbers(values: list[int]) -> Any:
    from iree.compiler import ir

    number = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.IntegerAttr.get(number, value) for value in values])


def _shrink(function: Any) -> None:
    """Start one subgroup a workgroup."""
    from iree.compiler.dialects.iree_codegen import TranslationInfoAttr

    old = function.attributes[_TRANSLATION]
    size = old.subgroup_size
    function.attributes[_TRANSLATION] = TranslationInfoAttr.get(
        old.pass_pipeline, old.codegen_spec, [size, 1, 1], size, old.configuration, ctx=function.context
    )
