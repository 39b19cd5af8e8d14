"""Graphics cards and processors with a Vulkan driver, through IREE's SPIR-V code generator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

from myjit.errors import OptionsError, TargetUnavailableError
from myjit.runtime.vulkan_probe import ask, driver_of
from myjit.targets.base import Memory, Target
from myjit.transforms.keep_nan import KeepNan
from myjit.transforms.refuse_long_loops import RefuseLongLoops
from myjit.vulkan_device import VulkanDevice

_ALL_TYPES = ("fp64", "fp32", "fp16", "int64", "int32", "int16", "int8")
_SMALL_TYPES = ("fp32", "fp16", "int32", "int16", "int8")
_ALL_WIDTHS = ("b64", "b32", "b16", "b8")


def _family(
    architecture: str,
    *,
    compute: tuple[str, ...],
    storage: tuple[str, ...],
    subgroup_size: int,
    threads: int,
    memory: int,
) -> VulkanDevice:
    """Describe what every device of a family offers, to compile where none of it is."""
    return VulkanDevice(
        *("", "", "", "other", architecture),
        spirv="v1.3" if not subgroup_size else "v1.5",
        compute=compute,
        storage=storage,
        subgroup=("shuffle", "arithmetic") if subgroup_size else (),
        subgroup_size=subgroup_size or 64,
        workgroup_sizes=(threads, threads, 64),
        workgroup_threads=threads,
        workgroup_memory=memory,
        workgroup_counts=(65535, 65535, 65535),
        unified=False,
    )


#: What can be compiled for without a device. IREE's own descriptions (`--iree-vulkan-target=ampere`) claim
#: more memory for a workgroup than drivers give, and matrix instructions that NVIDIA's refuses.
FAMILIES = {
    "baseline": _family(
        "", compute=("fp32", "int32"), storage=("b32",), subgroup_size=0, threads=128, memory=16384
    ),
    "nvidia": _family(
        "sm_80", compute=_ALL_TYPES, storage=_ALL_WIDTHS, subgroup_size=32, threads=1024, memory=49152
    ),
    "amd": _family(
        "rdna3", compute=_ALL_TYPES, storage=_ALL_WIDTHS, subgroup_size=64, threads=1024, memory=32768
    ),
    "intel": _family(
        "",
        compute=(*_SMALL_TYPES, "int64"),
        storage=_ALL_WIDTHS,
        subgroup_size=16,
        threads=1024,
        memory=32768,
    ),
    "arm": _family(
        "valhall4", compute=_SMALL_TYPES, storage=_ALL_WIDTHS, subgroup_size=16, threads=512, memory=32768
    ),
    "qualcomm": _family(
        "adreno",
        compute=_SMALL_TYPES,
        storage=("b64", "b32", "b16"),
        subgroup_size=64,
        threads=1024,
        memory=32768,
    ),
}
#: What kernels need for tensors of a type: something to compute with, and a width to load and store.
_NEEDS = {
    "float64": ("fp64", "b64"),
    "float16": ("fp16", "b16"),
    "bfloat16": ("fp32", "b16"),
    "int64": ("int64", "b64"),
    "int16": ("int16", "b16"),
    "int8": ("int8", "b8"),
    "uint8": ("int8", "b8"),
    "bool": ("int8", "b8"),
}


@dataclass(frozen=True)
class VulkanTarget(Target):
    """Compile for a Vulkan device, and run on it what torch has on the CPU.

    `family` is a name of FAMILIES; empty is this machine's own device, described by what its driver says.
    """

    name: ClassVar[str] = "vulkan"
    torch_device: ClassVar[str] = "cpu"
    pipeline: ClassVar[str] = "vulkan"

    family: str = ""

    def variant(self, machine: str) -> VulkanTarget:
        """Return the target for a family of devices."""
        if machine not in FAMILIES:
            known = ", ".join(FAMILIES)
            raise OptionsError(f"target 'vulkan' has no variant {machine!r}: it has {known}")
        return replace(self, family=machine)

    def unavailable_reason(self) -> str:
        """Say what is missing: the loader, a driver, a device that IREE can use."""
        found = own_device()
        return found if isinstance(found, str) else ""

    def flags(self) -> tuple[str, ...]:
        """Return the flag that describes the device.

        Raises:
            TargetUnavailableError: there is no device to describe.
        """
        return (f"--iree-hal-target-device={_attribute(self._device())}",)

    def identity(self) -> str:
        """Return the flags: they hold all that the device says of itself."""
        return " ".join(self.flags())

    def lacks(self) -> frozenset[str]:
        """Name the data types that the device does not compute with."""
        offered = {*self._device().compute, *self._device().storage}
        return frozenset(dtype for dtype, needs in _NEEDS.items() if not offered.issuperset(needs))

    def memory(self) -> Memory:
        """Say whether the host's memory is the device's too."""
        return "unified" if self._device().unified else "separate"

    def longest_loop(self) -> int:
        """Return how many steps the device's loops may take, 0 for any number."""
        return self._device().longest_loop

    def driver(self, *, work: float, wish: str = "auto") -> str:
        """Return IREE's name of the device; there is nothing to choose between."""
        found = own_device()
        return self.name if isinstance(found, str) else driver_of(found)

    def devices(self) -> tuple[str, ...]:
        """Name the device, and its driver."""
        found = own_device()
        return () if isinstance(found, str) else (f"{found.name} ({found.kind}, {found.driver})",)

    def _device(self) -> VulkanDevice:
        if self.family:
            return FAMILIES[self.family]
        found = own_device()
        if isinstance(found, str):
            known = ", ".join(FAMILIES)
            raise TargetUnavailableError(f"target 'vulkan' needs a family of devices ({known}): {found}")
        return found


@cache
def own_device() -> VulkanDevice | str:
    """Return this machine's Vulkan device, or why there is none; asked once a process."""
    return ask()


def _attribute(device: VulkanDevice) -> str:
    """Write a device as IREE's attribute.

    No matrix instructions: those that IREE 3.13 writes for NVIDIA's end in "NVVM compilation failed" when the
    driver takes the code in.
    """
    offers = {
        "compute": "|".join(device.compute),
        "storage": "|".join(device.storage),
        "subgroup": "|".join(device.subgroup) or "none",
        "subgroup_size_choices": [device.subgroup_size],
        "max_workgroup_sizes": list(device.workgroup_sizes),
        "max_thread_count_per_workgroup": device.workgroup_threads,
        "max_workgroup_memory_bytes": device.workgroup_memory,
        "max_workgroup_counts": list(device.workgroup_counts),
    }
    workgroup = ", ".join(f"{name} = {value}" for name, value in offers.items())
    capabilities = "cap:Shader" + (f",{KeepNan.OFFERED}" if device.keeps_nan else "")
    if device.longest_loop:
        capabilities += f",{RefuseLongLoops.FEATURE}:{device.longest_loop}"
    return (
        '#hal.device.target<"vulkan", [#hal.executable.target<"vulkan-spirv", "vulkan-spirv-fb", '
        f'{{iree_codegen.target_info = #iree_gpu.target<arch = "{device.architecture}", '
        f'features = "spirv:{device.spirv},{capabilities}", wgp = <{workgroup}>>}}>]>'
    )


TARGET = VulkanTarget()
