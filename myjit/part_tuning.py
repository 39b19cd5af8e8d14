"""Tune one part: time its pipeline with and without some stages, the target's drivers, and torch."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any

from myjit.artifact import Artifact
from myjit.autotune import fastest
from myjit.cache import Entry
from myjit.cache_key import CacheKey
from myjit.compile_part import Setting, part_key, start
from myjit.counters import STATISTICS
from myjit.errors import CompileError
from myjit.frontend.extract import Extract
from myjit.launches import Launches
from myjit.runtime.launch_entry import Enqueue
from myjit.worker_pool import POOL

#: The name of the way that leaves a part to torch.
TORCH = "torch"

Boxed = Callable[[list[Any]], Sequence[Any]]


class PartTuning:
    """The ways to run a part, by name: a driver, and what its pipeline goes `without`; or `torch`.

    `known` is the fastest, where the cache has it already. Otherwise the first call times all.
    """

    def __init__(self, part: Extract, setting: Setting, held: tuple[int, ...]) -> None:
        self._part = part
        self._setting = setting
        self._held = held
        stages = [s.name for s in setting.pipeline.stages]
        self._optional = [name for name in setting.target.optional_stages if name in stages]
        self._others: dict[str, Future[Artifact]] = {}
        self._cache = setting.cache()
        key = part_key(part, setting, held) if self._cache is not None else None
        tried = ", ".join((*setting.target.drivers, setting.options.device, *self._optional))
        if key is not None:
            place = {"tuned": tried, "cores": str(len(os.sched_getaffinity(0)))}
            key = CacheKey.of({**dict(key.parts), **place})
        self._key = key
        entry = self._cache.get(key) if self._cache is not None and key is not None else None
        self.known = "" if entry is None else str(entry.facts["way"])
        self._driver, _, self._without = self.known.partition(" without ")

    def start(self) -> Future[Artifact]:
        """Begin to compile the part: in the way that is known, or in every one."""
        if not self.known:
            self._others = {name: self._start(name) for name in self._optional}
        return self._start(self._without)

    def driver(self, usual: str) -> str:
        """Return the driver to run on, which is `usual` where none is known to be faster."""
        return self._driver or usual

    def enqueuer(self) -> Callable[[Launches], Enqueue]:
        """Return the target's `enqueuer`, with kernels of several forms timed as well."""
        return partial(self._setting.target.enqueuer, tunes=True, cache=self._cache)

    def fastest(
        self, artifact: Artifact, usual: str, load: Callable[[Artifact, str], Boxed], torch: Boxed
    ) -> Boxed:
        """Return the call of the part: the known way's, or one that times every way first.

        `artifact` is what `start` gave, `usual` the driver it runs on by default, `load` makes the call of an
        artifact on a driver, `torch` is the call of the part in torch.
        """
        if self.known:
            return load(artifact, usual)
        has_choice = self._setting.options.device == "auto" and not self._setting.shares_work
        drivers = self._setting.target.drivers if has_choice else ()
        ways = {driver: load(artifact, driver) for driver in dict.fromkeys((usual, *drivers))}
        for stage, future in self._others.items():
            try:
                other = POOL.wait(future)
            except CompileError:
                continue  # it needs that stage
            if other.vmfb != artifact.vmfb:
                ways[f"{usual} without {stage}"] = load(other, usual)
        self._others.clear()
        return fastest({**ways, TORCH: torch}, trial=_with_a_copy, chose=self._remember)

    def _start(self, without: str) -> Future[Artifact]:
        pipeline = self._setting.pipeline
        setting = replace(self._setting, pipeline=pipeline.without(without) if without else pipeline)
        return start(self._part, setting, self._held)

    def _remember(self, way: str) -> None:
        STATISTICS.add_tuned(way)
        if self._cache is not None and self._key is not None:
            self._cache.put(Entry(self._key, {"kind": "choice", "way": way}))


def _with_a_copy(way: Boxed, args: tuple[list[Any]]) -> Any:
    """Call a way with a list of its own: it empties it."""
    return way(list(args[0]))
