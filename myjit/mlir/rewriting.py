"""Rewrite patterns, PDL and transform schedules on a module of either MLIR.

Wraps what the bindings do to the unwary: a pattern's return value means the opposite of what one
expects, a PDL module that nobody holds silently never matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from myjit.errors import PassError
from myjit.mlir.context import bindings, parse

#: Rewrites per greedy run before it counts as one that never ends.
MAX_REWRITES = 1_000_000


@dataclass(frozen=True)
class Pattern:
    """One rewrite: the name of the operation it starts from, and the function.

    The function takes the operation and the rewriter, and runs with the insertion point in front of
    the operation and its location current. It returns None where it does not apply; the operation, the
    value or the list of values that take the place of the matched one; or True when it has changed the
    operation in place.
    """

    root: str
    rewrite: Callable[[Any, Any], Any]
    benefit: int = 1


def apply_patterns(root: Any, patterns: Iterable[Pattern], *, max_iterations: int = 10) -> None:
    """Apply patterns to everything below `root`, greedily, folding on the way.

    Raises:
        PassError: they still apply after `max_iterations` rounds.
    """
    rewrite = _rewrite(root)
    known = rewrite.RewritePatternSet(root.context)
    for one in patterns:
        known.add(one.root, _adapter(one.rewrite), benefit=one.benefit)
    _apply(root, known.freeze(), max_iterations)


def apply_pdl(root: Any, text: str, *, max_iterations: int = 10) -> None:
    """Apply the PDL patterns in `text`, a module of `pdl.pattern` operations, to everything below `root`.

    Raises:
        IRError: the text is no valid module. PassError: the patterns never stop applying.
    """
    patterns = parse(text, root.context)
    pdl = _rewrite(root).PDLModule(patterns)
    _apply(root, pdl.freeze(), max_iterations)
    del patterns  # held until here: the bindings do not, and would silently match nothing


def apply_schedule(module: Any, text: str) -> None:
    """Run the named sequence `__transform_main` of a transform-dialect module on `module`.

    Raises:
        IRError: the text is no valid module. PassError: it has no `__transform_main`.
    """
    schedule = parse(text, module.context)
    main = [op for op in schedule.body.operations if op.operation.name == "transform.named_sequence"]
    named = [op for op in main if str(op.operation.attributes["sym_name"]).strip('"') == "__transform_main"]
    if not named:
        raise PassError("a schedule needs a transform.named_sequence @__transform_main")
    _interpreter(module).apply_named_sequence(module, named[0], schedule)


def _adapter(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], bool]:
    """Turn our convention into the bindings': there, a false value means success."""

    def rewrite(op: Any, rewriter: Any) -> bool:
        operation = op.operation
        with rewriter.ip, operation.location:
            result = function(op, rewriter)
        if result is None or result is False:
            return True
        if result is not True:
            rewriter.replace_op(operation, _replacement(result))
        return False

    return rewrite


def _replacement(result: Any) -> Any:
    """Return an operation, or a list of values."""
    if hasattr(result, "operation"):
        return result.operation
    if isinstance(result, (list, tuple)):
        return list(result)
    return [result]


def _apply(root: Any, frozen: Any, max_iterations: int) -> None:
    rewrite = _rewrite(root)
    config = rewrite.GreedyRewriteConfig()
    config.max_iterations = max_iterations
    config.max_num_rewrites = MAX_REWRITES
    try:
        rewrite.apply_patterns_and_fold_greedily(root.operation, frozen, config)
    except RuntimeError as error:
        if "converge" not in str(error):
            raise
        raise PassError(
            f"the patterns still apply after {max_iterations} rounds: do they undo each other?"
        ) from error


def _rewrite(owner: Any) -> Any:
    if bindings(owner).ir.__name__.startswith("iree."):
        from iree.compiler import rewrite
    else:
        from torch_mlir import rewrite
    return rewrite


def _interpreter(owner: Any) -> Any:
    if bindings(owner).ir.__name__.startswith("iree."):
        from iree.compiler.dialects.transform import interpreter
    else:
        from torch_mlir.dialects.transform import interpreter
    return interpreter
