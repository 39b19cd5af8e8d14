"""Compile one part, or find it compiled: key, cache, import, lower, codegen; several parts at a time."""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from myjit.artifact import Artifact
from myjit.cache import DiskCache, Entry, open_cache
from myjit.cache_key import CacheKey
from myjit.counters import STATISTICS
from myjit.errors import CompileError, GraphImportError, IRError, WorkerCrashError
from myjit.frontend.bounds import checked
from myjit.frontend.extract import Extract
from myjit.frontend.graph_key import IndescribableError, graph_digest, guard_count
from myjit.frontend.importer import import_part
from myjit.frontend.outcomes import Outcomes
from myjit.frontend.signature import signature_of
from myjit.frontend.whole_ops import taken_apart
from myjit.lower import CompileReply, CompileRequest
from myjit.mlir.context import without_locations
from myjit.options import CompileOptions
from myjit.passes.pipeline import Pipeline
from myjit.targets.base import Target
from myjit.toolchain import versions
from myjit.transforms.share_workgroups import ShareWorkgroups
from myjit.worker_pool import POOL

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True)
class Setting:
    """What all parts of a graph are compiled with.

    `launches`: to launches, where that can be. `libraries`: to code that may use these of this process.
    """

    target: Target
    pipeline: Pipeline
    options: CompileOptions
    launches: bool = False
    libraries: tuple[str, ...] = ()

    @property
    def shares_work(self) -> bool:
        """Whether compiled code shares its work among torch's threads, and leaves none to IREE's."""
        passes = (each for stage in self.pipeline.stages for each in stage.passes)
        return "openmp" in self.libraries and any(isinstance(p, ShareWorkgroups) for p in passes)

    def cache(self) -> DiskCache | None:
        """Return the cache to use; none where the compile itself is what the user wants to see."""
        watched = self.options.dump or self.options.override
        if not self.options.cache or watched or not self.pipeline.is_describable:
            return None
        return open_cache(self.options.cache_dir, self.options.cache_size)

    def key(self, kind: str, content: str) -> CacheKey:
        """Return the key of `content`: the hash of a `graph`, or of its `ir`."""
        pipeline = f"{self.pipeline.name} {self.pipeline.fingerprint()}"
        target = f"{self.target.name} {self.target.identity()}"
        facts = {kind: content, "pipeline": pipeline, "target": target, **versions()}
        if self.launches:
            facts["form"] = "launches"
        if self.libraries:
            facts["libraries"] = " ".join(self.libraries)
        return CacheKey.of(facts)


def start(part: Extract, setting: Setting, held: tuple[int, ...] = ()) -> Future[Artifact]:
    """Begin to compile a part; the future gives the artifact or raises the CompileError.

    `held` are the inputs that the module asks for when it is loaded. What needs torch or the importer
    happens here and now, the rest in compiler processes.
    """
    part = taken_apart(part, setting.pipeline)
    cache = setting.cache()
    key = part_key(part, setting, held) if cache is not None else None
    outcomes = Outcomes(cache, key, part)
    try:
        found = outcomes.recall()
    except CompileError as refusal:
        STATISTICS.add("cache_hits")
        return _failed(refusal)
    if found is not None:
        STATISTICS.add("cache_hits")
        return _done(found)
    _count_miss(cache, key)
    try:
        return _compile(part, setting, cache, outcomes, held)
    except CompileError as refusal:
        return _failed(refusal)


def part_key(part: Extract, setting: Setting, held: tuple[int, ...]) -> CacheKey | None:
    """Return what the outcome of a part is kept under; None where a hash cannot describe the part."""
    try:
        digest = graph_digest(part)
        return setting.key("graph", f"{digest} without {held}" if held else digest)
    except IndescribableError as error:
        log.info("a part is not cached: it holds %s", error)
        return None


def _count_miss(cache: DiskCache | None, key: CacheKey | None) -> None:
    if cache is None or key is None:
        return
    STATISTICS.add("cache_misses")
    if log.isEnabledFor(logging.DEBUG):
        nearest = cache.nearest(key, "part")
        log.debug("cache: %s", "nothing is cached yet" if nearest is None else key.explain(nearest))


def _compile(
    part: Extract, setting: Setting, cache: DiskCache | None, outcomes: Outcomes, held: tuple[int, ...]
) -> Future[Artifact]:
    """Import a part and have it compiled; keep what comes of it."""
    begin = time.perf_counter()
    assumed = guard_count(part)
    try:
        guarded = checked(part, setting.target.longest_loop())
        signature = replace(signature_of(guarded, guarded=guarded is not part), held=held)
        names = [str(i) if i in held else "" for i in range(len(signature.inputs))]
        bytecode = import_part(guarded, signature, names)
        identity = b"" if cache is None else _identity(bytecode)
    except CompileError as error:
        outcomes.refuse(error)
        raise
    if guard_count(part) != assumed:  # a later process would not learn what was assumed about sizes
        outcomes = Outcomes(None, None, part)
    module = None
    if cache is not None:
        module = setting.key("ir", hashlib.sha256(identity).hexdigest())
    STATISTICS.add_seconds("import", time.perf_counter() - begin)
    result: Future[Artifact] = Future()

    def finish(compiled: Future[bytes]) -> None:
        error = compiled.exception()
        try:
            if error is None:
                outcomes.accept(module, signature)
            elif isinstance(error, CompileError):
                outcomes.refuse(error)
        except BaseException as failure:  # noqa: BLE001 whoever waits for the result raises it
            error = failure
        if error is None:
            result.set_result(Artifact(compiled.result(), signature))
        else:
            result.set_exception(error)

    _module(bytecode, setting, cache, module).add_done_callback(finish)
    return result


def compile_alone(source: bytes, setting: Setting) -> Future[bytes]:
    """Begin to compile a module that is no part of a program."""
    cache = setting.cache()
    key = setting.key("ir", hashlib.sha256(source).hexdigest()) if cache is not None else None
    return _module(source, setting, cache, key)


def _identity(bytecode: bytes) -> bytes:
    """Return what identifies a program.

    Raises:
        GraphImportError: the importer wrote an op that its own verifier refuses.
    """
    try:
        return without_locations(bytecode)
    except IRError as error:
        raise GraphImportError(str(error), diagnostics=error.diagnostics) from error


class _InFlight:
    """The modules that are being compiled. Safe from several threads; forks start with none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._futures: dict[CacheKey, Future[bytes]] = {}

    def begin(self, key: CacheKey) -> tuple[Future[bytes], bool]:
        """Return the future of a module, and whether it is the caller's to complete."""
        with self._lock:
            other = self._futures.get(key)
            if other is None:
                self._futures[key] = Future()
            return self._futures[key], other is None

    def end(self, key: CacheKey) -> None:
        """Forget a module, whose future is about to be completed."""
        with self._lock:
            self._futures.pop(key, None)


_in_flight = _InFlight()
os.register_at_fork(after_in_child=_in_flight.__init__)


def _module(
    bytecode: bytes, setting: Setting, cache: DiskCache | None, key: CacheKey | None
) -> Future[bytes]:
    """Have a module compiled, unless the cache has it or another part like it is being compiled."""
    if cache is None or key is None:
        return _submit(bytecode, setting)
    found = cache.get(key)
    if found is not None:
        return _done(found.payload)
    going, is_ours = _in_flight.begin(key)
    if not is_ours:
        return _like(going, bytecode, setting)

    def landed(compiled: Future[bytes]) -> None:
        try:
            if compiled.exception() is None:
                cache.put(Entry(key, {"kind": "module"}, compiled.result()))
        finally:
            _in_flight.end(key)
            _copy(compiled, going)

    try:
        _submit(bytecode, setting).add_done_callback(landed)
    except BaseException:  # Ctrl-C: nobody else may wait for what will not come
        _in_flight.end(key)
        going.set_exception(WorkerCrashError("stopped", stage="start"))
        raise
    return going


def _like(other: Future[bytes], bytecode: bytes, setting: Setting) -> Future[bytes]:
    """Take over the code of an equal module; an error names the other part's nodes, so ask again."""
    result: Future[bytes] = Future()

    def landed(compiled: Future[bytes]) -> None:
        if compiled.exception() is None:
            result.set_result(compiled.result())
            return
        try:
            _submit(bytecode, setting).add_done_callback(lambda again: _copy(again, result))
        except BaseException as failure:  # noqa: BLE001 whoever waits for the result raises it
            result.set_exception(failure)

    other.add_done_callback(landed)
    return result


def _submit(bytecode: bytes, setting: Setting) -> Future[bytes]:
    options = setting.options
    request = CompileRequest(
        bytecode,
        setting.pipeline,
        setting.target.flags(),
        options.dump,
        options.override,
        launches=setting.launches,
        libraries=setting.libraries,
    )
    result: Future[bytes] = Future()

    def landed(replied: Future[CompileReply]) -> None:
        if replied.exception() is None:
            reply = replied.result()
            for stage, seconds in reply.seconds.items():
                STATISTICS.add_seconds(stage, seconds)
            if reply.refusal:
                STATISTICS.add("safer_flags")
                log.info("a part is compiled with safer flags, its code may be slower: %s", reply.refusal)
            result.set_result(reply.vmfb)
        else:
            result.set_exception(replied.exception())

    POOL.submit(request, options.compile_timeout, options.workers).add_done_callback(landed)
    return result


def _copy(source: Future[T], target: Future[T]) -> None:
    if source.exception() is None:
        target.set_result(source.result())
    else:
        target.set_exception(source.exception())


def _done(value: T) -> Future[T]:
    future: Future[T] = Future()
    future.set_result(value)
    return future


def _failed(error: BaseException) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(error)
    return future
