"""Evaluate the size expressions of a saved artifact: integer arithmetic over names, nothing else."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from myjit.errors import ArtifactError

_BINARY: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_CALLS: dict[str, Callable[..., int]] = {"max": max, "min": min}


def evaluate(text: str, values: Mapping[str, int]) -> int | None:
    """Return the value of an expression; None when a name in it has none.

    Raises:
        ArtifactError: it is not integer arithmetic.
    """
    try:
        return _value(ast.parse(text, mode="eval").body, values)
    except KeyError:
        return None
    except (SyntaxError, ZeroDivisionError) as error:
        raise ArtifactError(f"the size {text!r} cannot be computed: {error}") from error


def _value(node: Any, values: Mapping[str, int]) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, values)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_value(node.left, values), _value(node.right, values))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
        return _CALLS[node.func.id](*[_value(argument, values) for argument in node.args])
    raise ArtifactError(f"the size {ast.unparse(node)!r} is not arithmetic")
