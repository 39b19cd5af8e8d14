"""Choose among the ways to launch a kernel by timing them on the device; the cache remembers the choice."""

from __future__ import annotations

import ctypes
import json
import logging
import time
from collections.abc import Callable
from typing import Any

import torch

from myjit.cache import DiskCache, Entry
from myjit.cache_key import CacheKey
from myjit.errors import LoadError
from myjit.kernels.base import KERNELS, Numbers, Plan
from myjit.targets._cuda_driver import Config, driver
from myjit.targets._cuda_kernels import LoadedKernel

log = logging.getLogger(__name__)

#: Seconds after which the kernels that are left are launched as usual.
SECONDS = 30.0
_ROUNDS, _LAUNCHES = 5, 20
#: Bytes of an element, by Triton's names of types.
_WIDTHS = {"fp32": 4, "fp64": 8, "fp16": 2, "bf16": 2, "i8": 1, "u8": 1, "i16": 2, "i32": 4, "i64": 8}

#: Loads the kernel of a call as one of its plans says.
Load = Callable[[int], LoadedKernel]


class Tuning:
    """The fastest plans of one program's kernels on device `index`."""

    def __init__(self, cache: DiskCache | None, index: int) -> None:
        self._cache = cache
        self._index = index
        self._end = time.perf_counter() + SECONDS

    def fastest(self, name: str, numbers: Numbers, load: Load) -> int:
        """Return the number of a kernel's fastest plan; the usual one is the first.

        Times them on memory of their own where the cache does not know, and there is time left.
        """
        kernel = KERNELS.get(name)
        plans = kernel.plans(numbers)
        if len(plans) < 2 or kernel.elements is None:
            return 0
        key = self._key(name, numbers, plans, kernel.function)
        entry = self._cache.get(key) if self._cache is not None else None
        if entry is not None:
            return int(entry.facts["plan"])
        if time.perf_counter() > self._end:
            return 0
        chosen = self._measured(name, plans, kernel.elements(numbers), load)
        if self._cache is not None:
            self._cache.put(Entry(key, {"kind": "plan", "plan": chosen}))
        return chosen

    def _key(self, name: str, numbers: Numbers, plans: list[Plan], function: Any) -> CacheKey:
        import triton  # pyright: ignore[reportMissingImports]

        return CacheKey.of(
            {
                "kernel": name,
                "numbers": json.dumps(dict(numbers)),
                "plans": repr(plans),
                "source": function.src,
                "triton": triton.__version__,
                "device": torch.cuda.get_device_name(self._index),
            }
        )

    def _measured(self, name: str, plans: list[Plan], elements: tuple[int, ...], load: Load) -> int:
        loaded: dict[int, LoadedKernel] = {}
        for number in range(len(plans)):
            try:
                loaded[number] = load(number)
            except LoadError as error:  # it takes more registers or shared memory than there are
                log.debug("plan %d of %s: %s", number, name, error)
        kinds = [kind for kind in plans[0].pointers.values() if kind is not None]
        place = torch.device("cuda", self._index)
        memory = [
            torch.zeros(count * _WIDTHS[kind], dtype=torch.uint8, device=place)
            for count, kind in zip(elements, kinds, strict=True)
        ]
        least = dict.fromkeys(loaded, float("inf"))
        with torch.cuda.device(place):
            for _ in range(_ROUNDS):
                for number, kernel in loaded.items():
                    least[number] = min(least[number], _time(kernel, memory))
        chosen = min(least, key=lambda number: least[number], default=0)
        told = ", ".join(f"{number}: {1000 * ms:.1f} µs" for number, ms in least.items())
        log.info("%s is fastest with plan %d (%s)", name, chosen, told)
        return chosen


def _time(loaded: LoadedKernel, memory: list[torch.Tensor]) -> float:
    """Return the milliseconds of one launch among several."""
    stream = torch.cuda.current_stream()
    config = Config(*loaded.grid, *loaded.kernel.block, loaded.kernel.shared)
    config.stream = stream.cuda_stream
    values = [*(t.data_ptr() for t in memory), *[0] * (loaded.added + 1)]
    cells = (ctypes.c_uint64 * len(values))(*values)
    first = ctypes.addressof(cells)
    arguments = (ctypes.c_void_p * len(values))(*(first + 8 * i for i in range(len(values))))
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    code = driver().launch(ctypes.byref(config), loaded.kernel.handle, arguments, None)
    start.record()
    for _ in range(_LAUNCHES):
        code = code or driver().launch(ctypes.byref(config), loaded.kernel.handle, arguments, None)
    end.record()
    end.synchronize()
    return float("inf") if code else start.elapsed_time(end) / _LAUNCHES
