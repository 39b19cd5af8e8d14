"""Scratch memory of NVIDIA's libraries: one piece for each stream, whose calls run one after the other."""

from __future__ import annotations

import torch

#: Its bytes: what torch gives cuBLASLt on a Hopper.
SIZE = 32 << 20

_workspaces: dict[tuple[int, int], torch.Tensor] = {}


def workspace(index: int, stream: int) -> int:
    """Return the address of the scratch memory of a stream on device `index`."""
    found = _workspaces.get((index, stream))
    if found is None:
        place = torch.device("cuda", index)
        found = _workspaces[index, stream] = torch.empty(SIZE, dtype=torch.uint8, device=place)
    return found.data_ptr()
