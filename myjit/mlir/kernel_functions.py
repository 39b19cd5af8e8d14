"""Write functions into kernels, which are LLVM's by then, and call them in place of operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations, symbol_name, variants


def replace_by_calls(
    module: Any,
    prefix: str,
    arguments: Callable[[Any], Sequence[Any] | None],
    written: Callable[[str, str], str],
) -> None:
    """Replace operations of an IREE-side module by calls of a function for each type of their results.

    `arguments` returns what an operation's call takes, None for one that stays. `written` returns the text of
    a function of a type and a name, which begins with `prefix`, and behind it of one that calls it.
    """
    for variant in variants(module):
        for kernels in [op for op in operations(variant) if op.name == "builtin.module"]:
            by_kind: dict[str, list[Any]] = {}
            for op in operations(kernels):
                if arguments(op) is not None:
                    by_kind.setdefault(str(op.results[0].type), []).append(op)
            for number, (kind, replaced) in enumerate(by_kind.items()):
                name = f"{prefix}_{number}"
                _replace(kernels, name, written(kind, name), replaced, arguments)


def _replace(kernels: Any, name: str, text: str, replaced: list[Any], arguments: Any) -> None:
    ir = bindings(kernels).ir
    with kernels.location:
        parsed = ir.Module.parse(text)  # what it holds goes with it
        function, user = (op.operation for op in parsed.body.operations)
        assert symbol_name(function) == name
        function.clone(ir.InsertionPoint.at_block_begin(kernels.regions[0].blocks[0]))
        call = next(op for op in operations(user) if op.name == "llvm.call")
        for op in replaced:
            new = call.clone(ir.InsertionPoint(op))
            for place, operand in enumerate(arguments(op)):
                new.operands[place] = operand
            op.results[0].replace_all_uses_with(new.results[0])
            op.erase()
