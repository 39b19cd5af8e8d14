"""Write an extracted part as text that is equal exactly where the compiler would see the same program.

It can be had without MLIR, so a process that finds everything in the cache imports no compiler. What it
cannot describe in full is not cached.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.fx import Node

from myjit.frontend.extract import Extract, attribute
from myjit.frontend.in_place import IN_PLACE
from myjit.frontend.nodes import hint
from myjit.frontend.tensor_bytes import flat_bytes

_NAMED = (torch.dtype, torch.device, torch.layout, torch.memory_format)
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


class IndescribableError(Exception):
    """A value that has no text form which tells all of it."""


def graph_digest(part: Extract) -> str:
    """Hash a part: its ops, operands, literals, and the values that tracing recorded.

    Names of nodes and places in the user's source do not count.

    Raises:
        IndescribableError: the part holds something that cannot be written down in full.
    """
    text = _Text(part)
    digest = hashlib.sha256()
    for line in text.lines():
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


class _Text:
    """One line for each node and each symbol of a part."""

    def __init__(self, part: Extract) -> None:
        self._part = part
        self._numbers: dict[Node, int] = {}
        self._symbols: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        for node in self._part.module.graph.nodes:
            words = [node.op, self._target(node), self._argument(node.args), self._argument(node.kwargs)]
            if node.op != "output":
                words.append(self._value(node.meta.get("val")))
                words.append(self._layout(node.meta.get("tensor_meta")))
                words += self._place(node)
            self._numbers[node] = len(self._numbers)
            yield "\t".join(words)
        for name, span in sorted(self._symbols.items()):
            yield f"symbol {name} {span}"

    def _place(self, node: Node) -> list[str]:
        """Name the input that a node is written into, by its number."""
        if IN_PLACE not in node.meta:  # all but a few: the search is long
            return []
        given = [n for n in self._numbers if n.name == node.meta[IN_PLACE]]
        return [f"in place of {self._numbers[n]}" for n in given]

    def _target(self, node: Node) -> str:
        if node.op == "get_attr":
            return self._literal(attribute(self._part.module, node))
        if node.op != "call_function":
            return node.op
        target: Any = node.target
        if isinstance(target, torch._ops.OpOverload):
            return f"{target} {target._schema}"
        module = getattr(target, "__module__", "")
        if module in ("_operator", "math", "builtins", "torch"):
            return f"{module}.{target.__name__}"
        raise IndescribableError(f"{target} of {node.name}")

    def _literal(self, value: Any) -> str:
        """Write a tensor constant by its bytes; the compiler embeds them."""
        plain = type(value) in (torch.Tensor, torch.nn.Parameter) and value.layout == torch.strided
        if not plain or value.device.type == "meta" or value.is_complex():
            raise IndescribableError(f"a constant of type {type(value).__name__}")
        with torch.utils._python_dispatch._disable_current_modes():
            content = hashlib.sha256(flat_bytes(value).numpy().data).hexdigest()
        return f"{value.dtype} {tuple(value.shape)} {value.stride()} {content}"

    def _argument(self, value: Any) -> str:
        if isinstance(value, Node):
            return f"%{self._numbers[value]}"
        if value is None or isinstance(value, (bool, int, float, complex, str)):
            return f"{type(value).__name__}:{value!r}"
        if isinstance(value, (list, tuple)):
            return f"{type(value).__name__}({','.join(map(self._argument, value))})"
        if isinstance(value, Mapping):
            return f"{{{','.join(f'{k!r}={self._argument(v)}' for k, v in sorted(value.items()))}}}"
        if isinstance(value, slice):
            return f"slice{self._argument((value.start, value.stop, value.step))}"
        if isinstance(value, _NAMED) or value is ...:
            return str(value)
        if isinstance(value, _SYMBOLIC):
            return self._number(value)
        raise IndescribableError(f"an operand of type {type(value).__name__}")

    def _value(self, value: Any) -> str:
        if isinstance(value, torch.Tensor):
            sizes = ",".join(map(self._number, value.shape))
            flags = f"{value.device.type} {value.layout} {value.is_conj()} {value.is_neg()}"
            strides = ",".join(map(self._number, value.stride())) if value.layout == torch.strided else ""
            return f"{value.dtype}[{sizes}][{strides}] {flags}"
        if isinstance(value, (list, tuple)):
            return f"({';'.join(map(self._value, value))})"
        return self._argument(value)

    def _layout(self, value: Any) -> str:
        """Write `tensor_meta`, which the importer prefers to the value where there is one."""
        if isinstance(value, (list, tuple)) and not hasattr(value, "dtype"):
            return f"({';'.join(map(self._layout, value))})"
        if value is None:
            return ""
        return f"{value.dtype}[{','.join(map(self._number, value.shape))}] {value.memory_format}"

    def _number(self, size: Any) -> str:
        """Write a size; a symbolic one as expression with the example's value, its symbols' ranges noted."""
        if not isinstance(size, _SYMBOLIC):
            return repr(size)
        node = size.node
        for symbol in node.expr.free_symbols:
            span = node.shape_env.var_to_range.get(symbol) if node.shape_env is not None else None
            self._symbols[str(symbol)] = f"{span.lower}..{span.upper}" if span is not None else "any"
        known = hint(size) if isinstance(size, torch.SymInt) else ""
        return f"{type(size).__name__}({node.expr})={known}"


def guard_count(part: Extract) -> int:
    """Count what has been assumed so far about the sizes in a part."""
    for node in part.module.graph.nodes:
        value = node.meta.get("val")
        sizes = value.shape if isinstance(value, torch.Tensor) else (value,)
        for size in sizes:
            if isinstance(size, _SYMBOLIC) and size.node.shape_env is not None:
                return len(size.node.shape_env.guards)
    return 0
