"""`myjit doctor`: say what is installed, what fits together, what is missing and how to get it."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata

EXAMPLES = """\
examples:
  myjit doctor    ends with 10 where something is missing that every use needs"""


@dataclass(frozen=True)
class _Finding:
    """One line of the report; `cure` is what to do, `needed` whether nothing works without it."""

    good: bool
    text: str
    cure: str = ""
    needed: bool = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no arguments."""


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from myjit.errors import TargetUnavailableError

    broken = False
    for finding in (*_python(), *_packages(), *_targets(), *_names()):
        mark = "ok     " if finding.good else ("MISSING" if finding.needed else "absent ")
        if sys.stdout.isatty():
            mark = f"\033[{'32' if finding.good else '31'}m{mark}\033[0m"
        print(f"{mark} {finding.text}")
        if finding.cure and not finding.good:
            print(f"        → {finding.cure}")
        broken |= finding.needed and not finding.good
    return TargetUnavailableError.exit_code if broken else 0


def _python() -> Iterator[_Finding]:
    version = sys.version.split(maxsplit=1)[0]
    yield _Finding(sys.version_info >= (3, 10), f"Python {version}", "use Python 3.10 or newer")


def _packages() -> Iterator[_Finding]:
    """Compare the installed versions with what myjit's own metadata asks for."""
    try:
        required = metadata.requires("myjit") or []
    except metadata.PackageNotFoundError:
        yield _Finding(False, "myjit is not installed, only importable", "pip install -e .")
        return
    for line in required:
        if "extra ==" in line:
            continue
        parts = re.match(r"([A-Za-z0-9_.-]+)\s*([^;]*)(;.*)?", line)
        if parts is None or parts.group(3):  # for other Pythons
            continue
        name, wanted = parts.group(1), parts.group(2).strip()
        cure = f"pip install '{name}{wanted}'"
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield _Finding(False, f"{name} {wanted}", cure)
            continue
        text = f"{name} {version}" + (f" (wanted {wanted})" if wanted else "")
        yield _Finding(_fits(version, wanted), text, cure)


def _fits(version: str, wanted: str) -> bool:
    """Tell whether a version meets `>=a,<b` or `==a`; local parts such as +cpu do not count."""
    own = _numbers(version.partition("+")[0])
    for clause in filter(None, wanted.split(",")):
        sign, number = re.match(r"\s*(==|>=|<=|!=|<|>|~=)\s*(.*)", clause).groups()  # type: ignore[union-attr]
        other = _numbers(number.rstrip(".*"))
        short = own[: len(other)]
        good = {
            "==": short == other,
            "!=": short != other,
            ">=": own >= other,
            "<=": own <= other,
            "<": own < other,
            ">": own > other,
            "~=": own >= other and own[: len(other) - 1] == other[:-1],
        }[sign]
        if not good:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version))


def _targets() -> Iterator[_Finding]:
    from myjit.targets.base import TARGETS

    for name, target in TARGETS.usable():
        reason = target.unavailable_reason()
        text = f"target {name}: {reason or ', '.join(target.devices())}"
        yield _Finding(not reason, text, needed=name == "cpu")


def _names() -> Iterator[_Finding]:
    """Tell what plugins and files provide, and whether each can be loaded."""
    from myjit.errors import MyjitError
    from myjit.mlir.context import DIALECTS
    from myjit.passes.pipeline import PIPELINES
    from myjit.passes.registered import PASSES
    from myjit.targets.base import TARGETS

    for registry in (TARGETS, PASSES, PIPELINES, DIALECTS):
        for name in registry.names():
            try:
                registry.get(name)
            except MyjitError as error:
                yield _Finding(False, str(error), "mend or remove its package")
        yield _Finding(
            True, f"{len(registry.names())} of kind {registry.kind}: {', '.join(registry.names())}"
        )
