"""`myjit cache`: look at the disk cache, check it, empty it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from myjit.cache import DiskCache, Entry, open_cache
from myjit.errors import CacheError, OptionsError

EXAMPLES = """\
examples:
  myjit cache ls                 every entry: size, last use, what it is
  myjit cache show 3fa9          one entry, by the start of its name: every part of its key
  myjit cache show 3fa9 77b0     why the first is not the second
  myjit cache verify             read every byte; delete what is damaged
  myjit cache clear 3fa9         delete one entry
  myjit cache clear              delete all

The folder is MYJIT_CACHE_DIR, or myjit's in the user's cache folder; --dir names another."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("ls", "show", "verify", "clear"))
    parser.add_argument("entry", nargs="*", help="starts of entries' names, for show and clear")
    parser.add_argument("--dir", default="", help="the cache's folder")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from myjit.options import CompileOptions

    options = CompileOptions.parse({})
    cache = open_cache(args.dir or options.cache_dir, options.cache_size)
    if cache is None:
        raise OptionsError("there is no cache: the user has no home folder, and MYJIT_CACHE_DIR is not set")
    if args.action in ("ls", "verify") and args.entry:
        raise OptionsError(f"{args.action} takes no names of entries, but {' '.join(args.entry)}")
    if args.action == "ls":
        return _list(cache)
    if args.action == "show":
        return _show(cache, args.entry)
    if args.action == "verify":
        return _verify(cache)
    return _clear(cache, args.entry)


def _list(cache: DiskCache) -> int:
    total = count = 0
    for path, entry in sorted(cache.entries(), key=lambda pair: _last_use(pair[0])):
        size = path.stat().st_size
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(_last_use(path)))
        print(f"{_name(path)[:12]}  {size:>10}  {used}  {_what(entry)}")
        total, count = total + size, count + 1
    print(f"{count} entries, {total / 2**20:.1f} of {cache.limit / 2**20:.0f} MB, in {cache.folder}")
    return 0


def _show(cache: DiskCache, starts: list[str]) -> int:
    if not 1 <= len(starts) <= 2:
        raise OptionsError("name one entry, or two to compare")
    entries = [_find(cache, start) for start in starts]
    if len(entries) == 2:
        print(entries[0].key.explain(entries[1].key))
        return 0
    for name, value in entries[0].key.parts:
        print(f"{name}: {value}")
    print(f"holds: {_what(entries[0])}, {len(entries[0].payload)} bytes of code")
    return 0


def _verify(cache: DiskCache) -> int:
    good = bad = 0
    for path, entry in cache.entries():
        if isinstance(entry, CacheError) or cache.path_of(entry.key.digest) != path:
            path.unlink(missing_ok=True)
            bad += 1
            print(f"deleted: {entry if isinstance(entry, CacheError) else f'{path} has the wrong name'}")
        else:
            good += 1
    print(f"{good} entries are whole, {bad} were damaged")
    return 0 if not bad else CacheError.exit_code


def _clear(cache: DiskCache, starts: list[str]) -> int:
    paths = [cache.path_of(_find(cache, start).key.digest) for start in starts]
    for path in paths:
        path.unlink(missing_ok=True)
    print(f"deleted {len(paths) if starts else cache.clear()} entries of {cache.folder}")
    return 0


def _find(cache: DiskCache, start: str) -> Entry:
    found = list(_matching(cache, start))
    if len(found) != 1:
        raise OptionsError(f"{len(found)} entries of {cache.folder} start with {start!r}")
    return found[0]


def _matching(cache: DiskCache, start: str) -> Iterator[Entry]:
    for path, entry in cache.entries():
        if _name(path).startswith(start) and isinstance(entry, Entry):
            yield entry


def _name(path: Path) -> str:
    return path.parent.name + path.name


def _last_use(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # deleted meanwhile
        return 0.0


def _what(entry: Entry | CacheError) -> str:
    if isinstance(entry, CacheError):
        return f"damaged: {entry}"
    kind = entry.facts.get("kind")
    if kind == "choice":
        return f"fastest way of a part: {entry.facts.get('way', '')}"
    if kind != "part":
        return "compiled module"
    refusal = entry.facts.get("refusal")
    outcome = f"refused ({refusal['message'][:60]})" if refusal else "compiled"
    return f"part {outcome}: {entry.facts.get('ops', '')}"
