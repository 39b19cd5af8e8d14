"""Nested arguments and results as JSON: what torch calls a pytree, without torch.

A structure is `{"leaf": index}`, `{"list": […]}`, `{"tuple": […]}`, `{"dict": [[key, …], …]}` or
`{"object": name, "fields": [[key, …], …]}`; the last is given back as a dictionary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from myjit.errors import ArtifactError

Structure = Mapping[str, Any]


def flatten(value: Any, structure: Structure, where: str) -> Iterator[Any]:
    """Yield the leaves of `value`, which must be built like `structure`.

    Raises:
        ArtifactError: it is built in another way; the message says where.
    """
    if "leaf" in structure:
        yield value
        return
    kind = next(k for k in ("list", "tuple", "dict", "fields") if k in structure)
    children = structure[kind]
    if kind in ("list", "tuple"):
        if not isinstance(value, (list, tuple)) or len(value) != len(children):
            raise ArtifactError(f"{where} must be a {kind} of {len(children)}")
        for index, (item, child) in enumerate(zip(value, children, strict=True)):
            yield from flatten(item, child, f"{where}[{index}]")
        return
    keys = [key for key, _ in children]
    get = value.get if isinstance(value, Mapping) else lambda key: getattr(value, str(key), None)
    if isinstance(value, Mapping) and set(value) != set(keys):
        raise ArtifactError(f"{where} must have the keys {keys}, not {list(value)}")
    for key, child in children:
        yield from flatten(get(key), child, f"{where}[{key!r}]")


def unflatten(leaves: Sequence[Any], structure: Structure) -> Any:
    """Build a value of the structure from its leaves."""
    if "leaf" in structure:
        return leaves[structure["leaf"]]
    if "list" in structure:
        return [unflatten(leaves, child) for child in structure["list"]]
    if "tuple" in structure:
        return tuple(unflatten(leaves, child) for child in structure["tuple"])
    pairs = structure["dict"] if "dict" in structure else structure["fields"]
    return {key: unflatten(leaves, child) for key, child in pairs}
