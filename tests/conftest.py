"""What every test shares: a fresh Dynamo, fallback counted as failure, and the comparison with eager."""

from __future__ import annotations

import gc
import itertools
import logging
import os
import sys
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

import pytest

_NUMBERS = itertools.count()

# Several test processes share the cores: threads that spin would take them from each other. torch reads it.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


@pytest.fixture(autouse=True)
def fresh(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Forget compiled code and counters, seed the generator, give a cache of its own, compile everything."""
    monkeypatch.setenv("MYJIT_PLACEMENT", "compiled")
    monkeypatch.setenv("MYJIT_CACHE_DIR", str(tmp_path_factory.getbasetemp() / f"cache-{next(_NUMBERS)}"))
    if "layout" not in str(request.path):
        import torch

        import myjit

        torch._dynamo.reset()
        torch.manual_seed(0)
        myjit.reset()
    yield


@pytest.fixture(autouse=True)
def faultless(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test behind which a pass of myjit's own raised: users get slower code, we get to know."""
    faults = Faults()
    loggers = [logging.getLogger(name) for name in ("myjit.compile", "myjit.compile_part")]
    for logger in loggers:
        monkeypatch.setattr(logger, "level", logging.DEBUG)
        logger.addHandler(faults)
    yield
    for logger in loggers:
        logger.removeHandler(faults)
    assert not faults.found


class Faults(logging.Handler):
    """Keeps what the log says about passes that failed by a fault of ours."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Look at one record."""
        from myjit.passes.runner import OWN_FAULT

        message = record.getMessage()
        if OWN_FAULT in message:
            self.found.append(message)


@pytest.fixture
def compiled() -> Callable[..., Any]:
    """Return torch.compile with our backend, where anything left to torch is an error."""
    import torch

    def compile_it(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        dynamic = options.pop("dynamic", None)
        settings = {"fallback": "error", **options}
        return torch.compile(function, backend="myjit_mlir", options=settings, dynamic=dynamic)

    return compile_it


@pytest.fixture
def each_equals_eager(
    compiled: Callable[..., Any], subtests: pytest.Subtests
) -> Callable[..., dict[str, Any]]:
    """Return a check of many functions of the same inputs, which are compiled as one program: in seconds."""
    import torch

    def check(
        functions: Mapping[str, Callable[..., Any]],
        *inputs: Any,
        options: Mapping[str, Any] | None = None,
        **closeness: Any,
    ) -> dict[str, Any]:
        """Compare each function's results with eager's, and return them by name."""

        def program(*values: Any) -> dict[str, Any]:
            return {name: function(*values) for name, function in functions.items()}

        actual = compiled(program, **(options or {}))(*inputs)
        for name, function in functions.items():
            with subtests.test(name):
                torch.testing.assert_close(actual[name], function(*inputs), **closeness)
        return actual

    return check


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that `make test` gives."""
    parser.addoption("--variants", type=int, default=0, metavar="N", help=few_variants.__doc__)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run what takes seconds first, whole models later, and what is about Vulkan last."""
    kept = few_variants(items, config.getoption("variants"))
    dropped = set(items).difference(kept)
    if dropped:
        config.hook.pytest_deselected(items=list(dropped))
    items[:] = sorted(kept, key=lambda item: (_is_about_vulkan(item), "e2e" in item.path.parts))


def few_variants(items: list[pytest.Item], count: int) -> list[pytest.Item]:
    """Run of each parametrized test, for each target, N variants only: which ones, its name says (0: all)."""
    if count < 1:
        return items
    groups: dict[object, list[pytest.Item]] = {}
    for item in items:
        alone = item.get_closest_marker("every_variant") is not None
        targets = tuple(item.get_closest_marker(name) is not None for name in ("cuda", "vulkan"))
        name = item.nodeid.partition("[")[0]
        groups.setdefault(item.nodeid if alone else (name, targets), []).append(item)
    return [item for group in groups.values() for item in _chosen(group, count)]


def _chosen(group: list[pytest.Item], count: int) -> list[pytest.Item]:
    """Choose items of a list, as far from each other as they can be, and in other lists other ones."""
    if len(group) <= count:
        return group
    first = zlib.crc32(group[0].nodeid.encode())
    return [group[(first + number * len(group) // count) % len(group)] for number in range(count)]


def _is_about_vulkan(item: pytest.Item) -> bool:
    return item.get_closest_marker("vulkan") is not None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Give a Vulkan device back before tests that are not about it.

    Threads that wait for its events spin in Mesa's software driver as long as there is one, and would take a
    quarter of two cores from all tests that follow (benchmarks/NOTES.md).
    """
    done = yield
    devices = sys.modules.get("myjit.runtime.device")
    if devices is not None and nextitem is not None and not _is_about_vulkan(nextitem):
        pool = devices.DEVICES
        if any(name.startswith("vulkan") for name in pool.drivers()):
            sys.modules["torch"]._dynamo.reset()
            pool.clear()
            gc.collect()
    return done


@pytest.fixture(
    params=[
        "cpu",
        pytest.param("cuda", marks=pytest.mark.cuda),
        pytest.param("vulkan", marks=pytest.mark.vulkan),
    ]
)
def target(request: pytest.FixtureRequest) -> str:
    """Return each target's name; skip those not available here."""
    import myjit

    available = myjit.is_available(request.param)
    if not available:
        pytest.skip(f"target {available}")
    return request.param


@pytest.fixture
def device(target: str) -> str:
    """Return torch's name of the device whose tensors the target takes."""
    from myjit.targets.base import TARGETS

    return TARGETS.get(target).torch_device
