"""What a device knows of the host's memory, by its address: places that hold so many bytes, or such a tensor.

All programs of the device share it. In a training step the tensors of one size lie at a few places, each at
another one from step to step, and what one program wrote the next one reads.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any
from weakref import WeakValueDictionary

#: How many addresses are kept of a kind, of a few hundred bytes each: a large model has as many counters.
_MOST = 512


class Known(dict[int, Any]):
    """What is known of a kind of places, by address; it goes with the last program that asks for the kind."""

    __slots__ = ("__weakref__",)

    def remember(self, address: int, imported: Any) -> Any:
        """Keep what is known of an address, and return it."""
        if len(self) >= _MOST:
            self.clear()
        self[address] = imported
        return imported


class Addresses:
    """What is known of each kind of places."""

    def __init__(self) -> None:
        self._known: WeakValueDictionary[Hashable, Known] = WeakValueDictionary()

    def of(self, kind: Hashable) -> Known:
        """Return what is known of places of one kind."""
        return self._known.setdefault(kind, Known())
