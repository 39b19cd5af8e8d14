"""The disk cache: checked entries in files that appear whole or not at all.

An entry is written to a file of its own, flushed, and renamed to its place, so that any number of
processes may share a folder and any of them may die at any moment. Every entry ends with a checksum of
itself; one that does not match is deleted and counts as absent. Nothing is unpickled from an entry.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from myjit.cache_key import CacheKey
from myjit.errors import CacheError
from myjit.whole_file import UNFINISHED, replacing

log = logging.getLogger(__name__)

#: What entries are called within their folder, whose name has the digest's first two digits.
_NAME = re.compile("[0-9a-f]{62}")
MAGIC = b"myjit\x00\x01\n"  # the last byte but one is the format's version
_LENGTH = struct.Struct("<Q")
_CHECKSUM = 32
#: Unfinished files older than this many seconds belong to processes that died.
_ABANDONED = 3600.0


#: Called with the key's digest and the bytes of every entry that is read or written.
watchers: list[Callable[[str, bytes], None]] = []


@dataclass(frozen=True)
class Entry:
    """What a cache holds under a key: facts that fit into JSON, and bytes."""

    key: CacheKey
    facts: Mapping[str, Any]
    payload: bytes = b""


class DiskCache:
    """Entries in a folder, at most `limit` bytes of them; the least recently used go first.

    Whatever goes wrong costs the caching and nothing else: it is logged, never raised.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder = folder
        self.limit = limit
        self._has_complained = False
        self._until_check = 0  # bytes to write before the folder's size is looked at again

    def get(self, key: CacheKey) -> Entry | None:
        """Return the entry of `key`, or None."""
        path = self.path_of(key.digest)
        try:
            data = path.read_bytes()
            entry = parse_entry(data, str(path))
            if entry.key != key:
                raise CacheError(f"{path} holds the entry of another key")
        except FileNotFoundError:
            return None
        except OSError as error:  # it may be whole: no more files can be opened, say
            self._complain("the cache cannot be read: %s", error)
            return None
        except CacheError as error:
            log.warning("a cache entry cannot be used, and is deleted where that can be: %s", error)
            _remove(path)
            return None
        with contextlib.suppress(OSError):  # a read-only folder keeps no order of use
            os.utime(path)
        _tell(key.digest, data)
        return entry

    def put(self, entry: Entry) -> None:
        """Store an entry, in place of an older one of the same key."""
        data = _to_bytes(entry)
        _tell(entry.key.digest, data)
        try:
            _write(self.path_of(entry.key.digest), data)
            self._until_check -= len(data)
            if self._until_check <= 0:
                self._evict()
        except OSError as error:
            self._complain("not cached: %s", error)

    def path_of(self, digest: str) -> Path:
        """Return where the entry of a key's digest lies."""
        return self.folder / digest[:2] / digest[2:]

    def paths(self) -> Iterator[Path]:
        """Yield the files of all entries, and no others that the folder may hold."""
        for path in self.folder.glob("[0-9a-f][0-9a-f]/*"):
            if _NAME.fullmatch(path.name) and _is_ours(path):
                yield path

    def entries(self) -> Iterator[tuple[Path, Entry | CacheError]]:
        """Read every entry; give the error in place of those that are damaged."""
        for path in self.paths():
            try:
                yield path, read_entry(path)
            except CacheError as error:
                yield path, error
            except OSError:
                continue  # another process has deleted it

    def clear(self) -> int:
        """Delete every entry and every unfinished file; return how many there were."""
        return sum(map(_remove, [*self.paths(), *self._unfinished()]))

    def nearest(self, key: CacheKey, kind: str) -> CacheKey | None:
        """Return the stored key that shares most parts with `key`, to explain a miss."""
        found = (e.key for _, e in self.entries() if isinstance(e, Entry) and e.facts.get("kind") == kind)
        return min(found, key=lambda other: len(key.differences(other)), default=None)

    def _unfinished(self) -> list[Path]:
        return [p for p in self.folder.glob(f"[0-9a-f][0-9a-f]/{UNFINISHED}*") if p.is_file()]

    def _complain(self, message: str, error: OSError) -> None:
        """Warn of a folder that cannot be used, once."""
        log.log(logging.DEBUG if self._has_complained else logging.WARNING, message, error)
        self._has_complained = True

    def _evict(self) -> None:
        """Delete what was used least recently until the folder is below nine tenths of the limit."""
        self._until_check = self.limit // 20
        now = time.time()
        for path in self._unfinished():
            with contextlib.suppress(OSError):
                if now - path.stat().st_mtime > _ABANDONED:
                    path.unlink()
        files = []
        for path in self.paths():
            with contextlib.suppress(OSError):
                status = path.stat()
                files.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in files)
        if total <= self.limit:
            return
        for _, size, path in sorted(files):
            if total <= self.limit * 0.9:
                break
            _remove(path)
            total -= size


def read_entry(path: Path) -> Entry:
    """Read one file and check every byte of it.

    Raises:
        CacheError: it is damaged, or no cache entry. OSError: it cannot be read.
    """
    return parse_entry(path.read_bytes(), str(path))


def parse_entry(data: bytes, path: str) -> Entry:
    """Read an entry from its bytes, all of them checked; `path` is for messages.

    Raises:
        CacheError: it is damaged, or no cache entry.
    """
    head = len(MAGIC) + _LENGTH.size
    body = memoryview(data)[:-_CHECKSUM]
    if len(data) < head + _CHECKSUM or not data.startswith(MAGIC):
        raise CacheError(f"{path} is no cache entry of this format")
    if hashlib.sha256(body).digest() != data[-_CHECKSUM:]:
        raise CacheError(f"{path} is damaged: its checksum does not match")
    end = head + _LENGTH.unpack_from(data, len(MAGIC))[0]
    try:
        facts = json.loads(bytes(body[head:end]))
        key = CacheKey(tuple((name, value) for name, value in facts.pop("key")))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CacheError(f"{path} is no cache entry of this format: {error}") from error
    return Entry(key, facts, bytes(body[end:]))


def default_folder() -> Path | None:
    """Return where caches lie by default: in the user's cache folder; None for a user without one."""
    root = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(root) / "myjit" if root else Path.home() / ".cache" / "myjit"
    except RuntimeError:  # no home folder
        return None


@lru_cache(maxsize=16)
def open_cache(folder: str, megabytes: int) -> DiskCache | None:
    """Return the cache in `folder` (the default one where empty); None where there can be none."""
    chosen = Path(folder).expanduser() if folder else default_folder()
    return DiskCache(chosen, megabytes << 20) if chosen is not None else None


def _tell(digest: str, data: bytes) -> None:
    for watcher in watchers:
        watcher(digest, data)


def _to_bytes(entry: Entry) -> bytes:
    header = json.dumps({"key": entry.key.parts, **entry.facts}).encode()
    data = MAGIC + _LENGTH.pack(len(header)) + header + entry.payload
    return data + hashlib.sha256(data).digest()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with replacing(path) as file:
        file.write(data)


def _is_ours(path: Path) -> bool:
    """Tell whether a file begins as an entry does, of whatever version, or is empty."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return MAGIC[:5].startswith(file.read(5))
    return False


def _remove(path: Path) -> bool:
    """Delete a file where that can be; tell whether it was."""
    with contextlib.suppress(OSError):
        path.unlink()
        return True
    return False
