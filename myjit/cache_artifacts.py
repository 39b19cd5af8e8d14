"""Cache entries in torch.compiler.save_cache_artifacts, beside Inductor's.

The bytes that `save_cache_artifacts` returns fill the cache of another process, or machine, through
`load_cache_artifacts`; there `myjit.backend` must be imported before, for torch to know the kind.
"""

from __future__ import annotations

import logging
import threading

from torch.compiler._cache import CacheArtifact, CacheArtifactFactory, CacheArtifactManager

from myjit import cache
from myjit.errors import CacheError
from myjit.options import CompileOptions

log = logging.getLogger(__name__)

_KIND = "myjit"
_lock = threading.Lock()


class MyjitCacheArtifact(CacheArtifact):
    """One entry of the disk cache, as the file's bytes."""

    def populate_cache(self) -> None:
        """Store the entry, unless it is damaged."""
        options = CompileOptions.parse({})
        target = cache.open_cache(options.cache_dir, options.cache_size)
        try:
            entry = cache.parse_entry(self.content, f"the artifact {self.key}")
        except CacheError as error:
            log.warning("a cache artifact is left out: %s", error)
            return
        if target is not None:
            target.put(entry)

    @staticmethod
    def type() -> str:
        """Return the name of the kind."""
        return _KIND


def record_cache_entries() -> None:
    """Have torch collect every entry that is read or written from now on."""
    if _KIND not in CacheArtifactFactory._artifact_types:
        CacheArtifactFactory.register(MyjitCacheArtifact)
    if _record not in cache.watchers:
        cache.watchers.append(_record)


def _record(digest: str, data: bytes) -> None:
    with _lock:  # compiles end in several threads
        CacheArtifactManager.record_artifact(_KIND, digest, data)
