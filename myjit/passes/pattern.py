"""Passes made of patterns: each a decorated method, the driver is MLIR's greedy one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from myjit.mlir.rewriting import Pattern, apply_patterns
from myjit.passes.base import Pass

_MARK = "_myjit_pattern"


def pattern(root: str, *, benefit: int = 1) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a method `(self, op, rewriter)` of a `PatternPass` as a rewrite of the operation `root`.

    It runs with the insertion point in front of `op` and `op`'s location current, and returns None
    where it does not apply; an operation, a value or values to put in place of `op`; or True when it
    has changed `op` in place. Patterns of higher benefit are tried first.
    """

    def mark(method: Callable[..., Any]) -> Callable[..., Any]:
        setattr(method, _MARK, (root, benefit))
        return method

    return mark


@dataclass(frozen=True)
class PatternPass(Pass):
    """Apply the class's patterns until none applies."""

    #: Rounds over the module before the patterns count as undoing each other.
    MAX_ITERATIONS: ClassVar[int] = 10

    def run(self, module: Any) -> None:
        """Rewrite the module in place."""
        apply_patterns(module, self.patterns(), max_iterations=self.MAX_ITERATIONS)

    def patterns(self) -> list[Pattern]:
        """Return the class's patterns, bases' first, each bound to this pass's options."""
        found: dict[str, Pattern] = {}
        for kind in reversed(type(self).__mro__):
            for name, method in vars(kind).items():
                if hasattr(method, _MARK):
                    root, benefit = getattr(method, _MARK)
                    found[name] = Pattern(root, partial(method, self), benefit)
        return list(found.values())
