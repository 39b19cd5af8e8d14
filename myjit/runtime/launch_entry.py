"""Write the function that calls a partition made of launches: addresses in, commands onto the stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from myjit.artifact import Signature, TensorSpec
from myjit.errors import LoadError
from myjit.launches import Launches
from myjit.runtime.accelerator import allocator
from myjit.runtime.entry import allocation, importable
from myjit.runtime.interop import ALIGNMENT

#: What sends the commands, given the address of each slot.
Enqueue = Callable[[Sequence[int]], None]

_BODY = """\
def entry(args):
    [{arguments}] = args
    state = None
    try:
        try:
            state = take()
        except IndexError:
            state = load()
{lines}
        state.enqueue(({addresses}))
    except Exception as error:
        return fail([{arguments}], state, error)
    except BaseException:
        lose(state)
        raise
    state.calls += 1
    give_back(state)
{guard}    args.clear()
    return [{values}]
"""


class LaunchState:
    """What one call at a time may use: the kernels' arguments, and the guard that the kernels write."""

    def __init__(self, enqueue: Enqueue, place: torch.device) -> None:
        self.enqueue = enqueue
        self.calls = 0
        self.bytes_copied = 0
        self._place = place
        self._guard: torch.Tensor | None = None

    def guard_address(self) -> int:
        """Return where the kernels write whether an index was out of range: memory of the host's."""
        if self._guard is None:
            self._guard = torch.zeros(ALIGNMENT, dtype=torch.uint8, device="cpu", pin_memory=True)
        return self._guard.data_ptr()

    def is_guarded(self) -> bool:
        """Wait for the kernels; tell whether an index was out of range."""
        assert self._guard is not None
        torch.get_device_module(self._place).current_stream(self._place).synchronize()
        return bool(self._guard[0])


def generate_launch_entry(
    signature: Signature, launches: Launches, services: dict[str, Any], place: torch.device
) -> Callable[[list[Any]], list[torch.Tensor]]:
    """Compile the entry of a signature; `services` are those of `generate_entry`.

    Raises:
        LoadError: the launches do not fit the signature.
    """
    names = dict(services)
    names["empty"] = allocator(place)
    results = len(signature.outputs) - signature.guarded
    if launches.arguments != len(signature.inputs) + len(signature.outputs):
        raise LoadError(f"the launches take {launches.arguments} arguments, not what the signature says")
    lines: list[str] = []
    addresses = [f"tensor{i}.data_ptr()" for i in range(len(signature.inputs))]
    for index, spec in enumerate(signature.inputs):
        assert isinstance(spec, TensorSpec)
        lines += importable(f"tensor{index}", f"arg{index}", spec)
    for index, spec in enumerate(signature.outputs[:results]):
        lines += allocation(index, spec, signature, names)
        addresses.append(f"out{index}.data_ptr()")
    if signature.guarded:
        addresses.append("state.guard_address()")
    names["byte"] = torch.uint8
    for index, size in enumerate(launches.scratch):
        lines.append(f"scratch{index} = empty(({size},), (1,), byte)")
        addresses.append(f"scratch{index}.data_ptr()")
    arguments = ", ".join(f"arg{i}" for i in range(len(signature.inputs)))
    refuse = f"    if state.is_guarded():\n        return refuse([{arguments}])\n"
    source = _BODY.format(
        arguments=arguments,
        lines="\n".join(f"        {line}" for line in lines),
        addresses="".join(f"{a}, " for a in addresses),
        guard=refuse if signature.guarded else "",
        values=", ".join(f"out{i}" for i in range(results)),
    )
    exec(compile(source, "<myjit launch entry>", "exec"), names)  # noqa: S102 (sizes are numbers)
    return names["entry"]
