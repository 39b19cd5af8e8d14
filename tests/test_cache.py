"""The disk cache: what goes in comes out or is gone, whatever happens to the files."""

from __future__ import annotations

import logging
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from myjit.cache import DiskCache, Entry, default_folder, read_entry
from myjit.cache_key import CacheKey
from myjit.errors import CacheError
from myjit.whole_file import UNFINISHED

KEY = CacheKey.of({"graph": "g", "torch": "1"})


def key(number: int) -> CacheKey:
    return CacheKey.of({"graph": str(number)})


@pytest.fixture
def cache(tmp_path: Path) -> DiskCache:
    return DiskCache(tmp_path / "cache", 1 << 30)


def test_an_entry_comes_back_whole(cache: DiskCache):
    entry = Entry(KEY, {"kind": "part", "nested": {"a": [1, "x", None]}}, b"\0payload")
    cache.put(entry)
    assert cache.get(KEY) == entry
    assert cache.get(key(1)) is None
    assert [e for _, e in cache.entries()] == [entry]


def test_a_flipped_byte_anywhere_is_seen(cache: DiskCache, caplog):
    payload = random.Random(0).randbytes(3000)
    cache.put(Entry(KEY, {"kind": "module"}, payload))
    (path,) = cache.paths()
    good = path.read_bytes()
    chosen = random.Random(1)
    for _ in range(1000):
        bad = bytearray(good)
        bad[chosen.randrange(len(bad))] ^= 1 << chosen.randrange(8)
        path.write_bytes(bad)
        with pytest.raises(CacheError):
            read_entry(path)
    with caplog.at_level(logging.WARNING, "myjit.cache"):
        assert cache.get(KEY) is None
    assert "is damaged" in caplog.text
    assert not path.exists()


@pytest.mark.parametrize("size", [0, 7, 20, 100, -1])
def test_a_truncated_entry_is_seen(cache: DiskCache, size: int):
    cache.put(Entry(KEY, {}, b"x" * 200))
    (path,) = cache.paths()
    path.write_bytes(path.read_bytes()[:size])
    assert cache.get(KEY) is None


def test_the_entry_of_another_key_is_not_used(cache: DiskCache):
    cache.put(Entry(KEY, {}, b"mine"))
    other = cache.path_of(key(1).digest)
    other.parent.mkdir(exist_ok=True)
    cache.path_of(KEY.digest).rename(other)
    assert cache.get(key(1)) is None


def test_the_least_recently_used_go_first(cache: DiskCache):
    small = DiskCache(cache.folder, 50_000)
    for number in range(10):
        cache.put(Entry(key(number), {}, b"x" * 10_000))
        path = cache.path_of(key(number).digest)
        os.utime(path, (1000 + number, 1000 + number))
    assert small.get(key(0)) is not None  # used now
    small.put(Entry(key(10), {}, b"x" * 10_000))
    left = [n for n in range(11) if cache.get(key(n)) is not None]
    assert left == [0, 8, 9, 10]


def test_unfinished_files_of_dead_processes_go(cache: DiskCache):
    cache.put(Entry(KEY, {}, b""))
    (path,) = cache.paths()
    old, new = path.parent / f"{UNFINISHED}old", path.parent / f"{UNFINISHED}new"
    for unfinished in (old, new):
        unfinished.write_bytes(b"half")
    os.utime(old, (1000, 1000))
    DiskCache(cache.folder, 1 << 30).put(Entry(KEY, {}, b""))
    assert not old.exists()
    assert new.exists()
    assert cache.clear() == 2
    assert not list(cache.paths())


def test_files_of_others_stay(cache: DiskCache):
    """In a folder like Git's, which has the same form, nothing is deleted."""
    shard = cache.folder / "45"
    shard.mkdir(parents=True)
    others = [shard / ("b9" * 19), shard / ("b9" * 31), shard / ".hidden"]
    for path in others:
        path.write_bytes(b"x\x01somebody's")
    assert cache.clear() == 0
    assert not list(cache.entries())
    small = DiskCache(cache.folder, 1)
    small.put(Entry(KEY, {}, b"y" * 100))
    assert all(path.exists() for path in others)


def test_an_entry_that_cannot_be_read_now_stays(cache: DiskCache, monkeypatch: pytest.MonkeyPatch, caplog):
    def fail(self: Path) -> bytes:
        raise OSError("Too many open files")

    cache.put(Entry(KEY, {}, b"code"))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", fail)
        assert cache.get(KEY) is None
        assert cache.get(KEY) is None
    assert caplog.text.count("Too many open files") == 1
    assert cache.get(KEY) is not None


def test_the_nearest_key_explains_a_miss(cache: DiskCache):
    cache.put(Entry(CacheKey.of({"graph": "g", "torch": "0"}), {"kind": "part"}))
    cache.put(Entry(CacheKey.of({"graph": "h", "torch": "0"}), {"kind": "part"}))
    near = cache.nearest(KEY, "part")
    assert near is not None
    assert KEY.explain(near) == "missed because torch: 1 is not 0"


def test_a_folder_that_cannot_be_written_costs_nothing_but_caching(tmp_path: Path, caplog):
    (tmp_path / "file").write_text("in the way")
    blocked = DiskCache(tmp_path / "file" / "cache", 1 << 20)
    with caplog.at_level(logging.WARNING, "myjit.cache"):
        blocked.put(Entry(KEY, {}, b""))
    assert blocked.get(KEY) is None
    assert "not cached" in caplog.text


FULL = """
import resource, signal, sys
from pathlib import Path
from myjit.cache import DiskCache, Entry
from myjit.cache_key import CacheKey
cache, key = DiskCache(Path(sys.argv[1]), 1 << 30), CacheKey.of({"a": "1"})
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
cache.put(Entry(key, {}, b"x" * 5000))
assert cache.get(key) is None
assert not list(Path(sys.argv[1]).glob("*/*")), "a torn file is left"
cache.put(Entry(key, {}, b"small"))
assert cache.get(key).payload == b"small"
"""


def test_a_full_disk_costs_nothing_but_caching(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


WRITER = """
import hashlib, random, sys
from pathlib import Path
from myjit.cache import DiskCache, Entry
from myjit.cache_key import CacheKey
cache, chosen = DiskCache(Path(sys.argv[1]), 200_000), random.Random(int(sys.argv[2]))
print("ready", flush=True)
while True:
    name = str(chosen.randrange(20))
    key = CacheKey.of({"name": name})
    found = cache.get(key)
    if found is not None and hashlib.sha256(found.payload).hexdigest() != found.facts["sum"]:
        sys.exit("torn")
    payload = chosen.randbytes(chosen.randrange(50_000))
    cache.put(Entry(key, {"sum": hashlib.sha256(payload).hexdigest()}, payload))
"""


def test_eight_processes_killed_while_they_write_leave_nothing_torn(tmp_path: Path):
    """Each is killed at some moment of its work and replaced, twelve rounds long."""
    chosen = random.Random(0)

    def start(number: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", WRITER, str(tmp_path), str(number)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    running = [start(n) for n in range(8)]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for number in range(12):
        time.sleep(chosen.random() * 0.1)
        victim = running[number % 8]
        victim.send_signal(signal.SIGKILL)
        assert victim.communicate()[1] == ""
        assert victim.returncode == -signal.SIGKILL
        running[number % 8] = start(8 + number)
    for process in running:
        assert process.poll() is None, process.communicate()[1]
        process.kill()
        process.communicate()
    found = list(DiskCache(tmp_path, 1 << 30).entries())
    assert found
    assert all(isinstance(entry, Entry) for _, entry in found)


def test_the_default_folder_is_in_the_users_cache(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "myjit"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert default_folder() == Path("/home/somebody/.cache/myjit")
