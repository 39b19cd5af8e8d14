"""Read and write what IREE's GPU code generators have chosen for a dispatch."""

from __future__ import annotations

from typing import Any

_CONFIG, _TRANSLATION = "lowering_config", "translation_info"


def lists(op: Any) -> dict[str, Any]:
    """Return the lists of numbers (some hold lists) that an operation's configuration consists of, by name.

    It is empty where the operation has none for GPUs.
    """
    from iree.compiler.dialects.iree_gpu import LoweringConfigAttr

    config = op.attributes.get(_CONFIG)
    if config is None or not LoweringConfigAttr.isinstance(config):
        return {}
    return {each.name: _numbers(each.attr) for each in config.attributes}


def write_lists(op: Any, lists: dict[str, Any]) -> None:
    """Give an operation the configuration that consists of these lists of numbers."""
    from iree.compiler import ir
    from iree.compiler.dialects.iree_gpu import LoweringConfigAttr

    with op.context:
        attributes = ir.DictAttr.get({name: _attribute(ir, each) for name, each in lists.items()})
        op.attributes[_CONFIG] = LoweringConfigAttr.get(attributes)


def threads(function: Any) -> int:
    """Return how many threads a workgroup of a kernel has; 0 where they lie in several dimensions."""
    first, *others = function.attributes[_TRANSLATION].workgroup_size
    return first if set(others) <= {1} else 0


def subgroup_size(function: Any) -> int:
    """Return how many threads a subgroup of a kernel has."""
    return function.attributes[_TRANSLATION].subgroup_size


def set_threads(function: Any, threads: int) -> None:
    """Give a kernel workgroups of so many threads, in one dimension."""
    from iree.compiler.dialects.iree_codegen import TranslationInfoAttr

    old = function.attributes[_TRANSLATION]
    size = [threads, *[1] * (len(old.workgroup_size) - 1)]
    function.attributes[_TRANSLATION] = TranslationInfoAttr.get(
        old.pass_pipeline, old.codegen_spec, size, old.subgroup_size, old.configuration, ctx=function.context
    )


def _numbers(attribute: Any) -> Any:
    from iree.compiler import ir

    if isinstance(attribute, ir.ArrayAttr):
        return [_numbers(each) for each in attribute]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else attribute


def _attribute(ir: Any, value: Any) -> Any:
    if isinstance(value, list):
        return ir.ArrayAttr.get([_attribute(ir, each) for each in value])
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value) if isinstance(value, int) else value
