"""What a user can ask about this installation and process: targets, devices, counters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.targets.base import TARGETS


@dataclass(frozen=True)
class Availability:
    """Whether a target can be used here, and the reason when not. True or false in a condition."""

    target: str
    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason

    def __str__(self) -> str:
        return f"{self.target}: {self.reason or 'available'}"


def is_available(target: str) -> Availability:
    """Tell whether `target` can be used on this machine; the result carries the reason when not.

    Raises:
        RegistryError: there is no target of that name.
    """
    return Availability(target, TARGETS.get(target).unavailable_reason())


def devices() -> dict[str, tuple[str, ...]]:
    """Return the devices of every available target, by target."""
    return {n: target.devices() for n, target in TARGETS.usable() if is_available(n)}


def stats() -> dict[str, Any]:
    """Return the counters since the last `reset()`.

    Keys: graphs, partitions, ops_compiled, ops_fallback, fallback_reasons (ops by reason),
    ops_by_design, by_design_reasons (ops that belong in torch: sizes, random numbers, aliases),
    autotune_choices (graphs by what `mode="max-autotune"` chose), autotune_parts (parts by the driver it
    chose and what their pipeline goes without),
    recompiles, safer_flags (partitions that IREE refused with the pipeline's preferred flags),
    compile_seconds (by stage), cache_hits and cache_misses (partitions found in the disk
    cache or compiled), calls (of compiled partitions), bytes_copied (inputs that could not be imported
    where they are).
    """
    from myjit.counters import STATISTICS

    return STATISTICS.snapshot()


def reset() -> None:
    """Set the counters to zero and forget what the compiler refused so far."""
    from myjit.counters import STATISTICS
    from myjit.frontend.verdicts import forget

    STATISTICS.clear()
    forget()
