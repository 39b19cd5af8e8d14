"""CPUs, by default this machine's own, through IREE's llvm-cpu code generator."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from myjit.machine import own_features
from myjit.mlir.panels import registers_of
from myjit.runtime import process
from myjit.targets.base import ConvolutionGain, Target

#: Below this much work (elements, about: see frontend/cost.py) a partition runs on the calling thread:
#: waking a second core costs more than it saves. Measured by benchmarks/driver_choice.py.
SYNC_WORK_LIMIT = 3e5


@dataclass(frozen=True)
class CpuTarget(Target):
    """Compile for a CPU; run small partitions on the calling thread, larger ones on all cores.

    `cpu` is a processor by LLVM's name (`x86-64-v3`, `znver4`), `generic`, or `host`: this machine's own.
    """

    name: ClassVar[str] = "cpu"
    torch_device: ClassVar[str] = "cpu"
    pipeline: ClassVar[str] = "cpu"
    holds_weights: ClassVar[bool] = True
    # Measured: benchmarks/NOTES.md, "Convolutions" and "Recurrent layers".
    faster_in_torch: ClassVar[tuple[str, ...]] = (
        "aten.convolution_backward",
        *("myjit.recurrent_layer", "myjit.recurrent_layer_backward"),
    )
    slow_places: ClassVar[bool] = True
    # Measured: benchmarks/NOTES.md, "Single ops" and "A sweep of small programs".
    series: ClassVar[Mapping[str, float]] = MappingProxyType(
        {
            **dict.fromkeys(("aten.cumsum.default", "aten.cumprod.default"), 2.0),
            **dict.fromkeys(("aten.scatter.src", "aten.scatter.value", "aten.scatter_add.default"), 4.0),
            "aten.scatter_reduce.two": 4.0,
            "aten.index_add.default": 0.5,
            "aten.grid_sampler_2d.default": 9.0,
        }
    )
    drivers: ClassVar[tuple[str, ...]] = ("local-sync", "local-task")
    optional_stages: ClassVar[tuple[str, ...]] = ("libraries", "packing", "tiles", "threads")

    cpu: str = "host"

    def variant(self, machine: str) -> CpuTarget:
        """Return the target for another processor."""
        return CpuTarget(machine)

    def convolutions(self) -> ConvolutionGain:
        """Return what oneDNN saves. Measured: benchmarks/NOTES.md, "Convolutions"."""
        has = registers_of(own_features()) if self.cpu == "host" else None
        kinds = {"panels": has is not None, "matrices": has is not None and has.tiles}
        return ConvolutionGain(dense=2.9e-6, grouped=2.5e-4, each=40.0, border=300.0, **kinds)

    def unavailable_reason(self) -> str:
        """Say which compiler package is missing, if one is."""
        for module in ("torch_mlir", "iree.compiler", "iree.runtime"):
            if importlib.util.find_spec(module.split(".", maxsplit=1)[0]) is None:
                return f"the package that provides {module} is not installed"
        return ""

    def flags(self) -> tuple[str, ...]:
        """Return the flags that choose the processor and its features."""
        return (
            "--iree-hal-target-device=local",
            "--iree-hal-local-target-device-backends=llvm-cpu",
            f"--iree-llvmcpu-target-cpu={self.cpu}",
        )

    def identity(self) -> str:
        """Return the flags, grants, and where the flags say `host` the maker, model and features."""
        machine = processor() if self.cpu == "host" else platform.machine()
        return " ".join((*self.flags(), machine, *self.granted()))

    def driver(self, *, work: float, wish: str = "auto") -> str:
        """Return `local-sync` for small partitions or a single core, `local-task` otherwise."""
        if wish != "auto":
            return f"local-{wish}"
        if work < SYNC_WORK_LIMIT or len(os.sched_getaffinity(0)) == 1:
            return "local-sync"
        return "local-task"

    def libraries(self) -> tuple[str, ...]:
        """Name what torch brings."""
        return process.libraries() if self.cpu == "host" else ()

    def granted(self) -> tuple[str, ...]:
        """Name AMX where Linux lets this process use it."""
        return ("amx",) if self.cpu == "host" and "amxbf16" in own_features() else ()

    def devices(self) -> tuple[str, ...]:
        """Name the host's processor."""
        return (f"cpu ({platform.machine()}, {os.cpu_count()} cores)",)


@cache
def processor() -> str:
    """Describe this machine's processor as far as generated code can depend on it."""
    wanted = ("vendor_id", "cpu family", "model", "stepping", "flags", "Features")
    wanted += ("CPU implementer", "CPU architecture", "CPU variant", "CPU part")
    facts: dict[str, str] = {}
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in wanted:
                facts.setdefault(name.strip(), value.strip())  # cores of one machine are alike
    except OSError:  # not Linux
        facts["processor"] = platform.processor()
    features = hashlib.sha256(repr(sorted(facts.items())).encode()).hexdigest()[:16]
    family = "-".join(facts.get(n, "") for n in wanted[:4])
    return f"{platform.system()} {platform.machine()} {family} {features}"


TARGET = CpuTarget()
