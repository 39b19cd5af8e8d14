"""What a Vulkan device offers to compute code, asked of the driver through Vulkan's own loader.

Asking runs a stranger's driver code: `python -m myjit.runtime.vulkan_probe` does it in a process of its own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

_KINDS = ("other", "integrated", "discrete", "virtual", "cpu")
#: Vulkan's numbers of makers, and an architecture of each by which IREE chooses tile sizes.
_MAKERS = {0x10DE: "sm_80", 0x1002: "rdna3", 0x13B5: "valhall4", 0x5143: "adreno"}
_COMPUTE_STAGE = 0x20
_INCOMPATIBLE_DRIVER = -9
_VERSION_1_2 = (1 << 22) | (2 << 12)
_LLVMPIPE = 13
#: A quarter of the 65535 steps that llvmpipe gives all loops of an invocation: a kernel's loops nest.
_LLVMPIPE_LOOP = 65535 // 4


@dataclass(frozen=True)
class VulkanDevice:
    """A device, as far as compiled code and its memory depend on it.

    `compute` and `storage` are the element types that kernels may compute with and load, in IREE's words;
    `subgroup` the operations within a subgroup. `unified` says that the host reads and writes the
    device's own memory at full speed, `keeps_nan` that kernels may ask for NaN and infinity to be kept,
    `longest_loop` how many steps loops may take, where the driver ends longer ones without a word; else 0.
    """

    name: str
    driver: str
    uuid: str
    kind: str
    architecture: str
    spirv: str
    compute: tuple[str, ...]
    storage: tuple[str, ...]
    subgroup: tuple[str, ...]
    subgroup_size: int
    workgroup_sizes: tuple[int, ...]
    workgroup_threads: int
    workgroup_memory: int
    workgroup_counts: tuple[int, ...]
    unified: bool
    keeps_nan: bool = False
    longest_loop: int = 0


def find_devices() -> list[VulkanDevice]:
    """Return the devices that Vulkan's drivers offer here.

    Raises:
        OSError: there is no loader, or no driver that it can use.
    """
    loader = _open_loader()
    instance = _instance(loader)
    count = ctypes.c_uint32()
    loader.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), None)
    handles = (ctypes.c_void_p * count.value)()
    loader.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), handles)
    found = [_describe(loader, ctypes.c_void_p(handle)) for handle in handles]
    loader.vkDestroyInstance(instance, None)
    return [device for device in found if device is not None]


class _Application(ctypes.Structure):
    _fields_ = [
        *(("kind", ctypes.c_uint32), ("next", ctypes.c_void_p), ("name", ctypes.c_char_p)),
        *(("version", ctypes.c_uint32), ("engine", ctypes.c_char_p), ("engine_version", ctypes.c_uint32)),
        ("api", ctypes.c_uint32),
    ]


class _InstanceInfo(ctypes.Structure):
    _fields_ = [
        *(("kind", ctypes.c_uint32), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint32)),
        ("application", ctypes.POINTER(_Application)),
        *(("layers", ctypes.c_uint32), ("layer_names", ctypes.c_void_p)),
        *(("extensions", ctypes.c_uint32), ("extension_names", ctypes.c_void_p)),
    ]


def _open_loader() -> ctypes.CDLL:
    try:
        return ctypes.CDLL("libvulkan.so.1")
    except OSError as error:
        raise OSError("no Vulkan loader is installed (libvulkan.so.1 is not found)") from error


def _instance(loader: ctypes.CDLL) -> ctypes.c_void_p:
    application = _Application(kind=0, api=(1 << 22) | (3 << 12))
    info = _InstanceInfo(kind=1, application=ctypes.pointer(application))
    instance = ctypes.c_void_p()
    code = loader.vkCreateInstance(ctypes.byref(info), None, ctypes.byref(instance))
    if code == _INCOMPATIBLE_DRIVER:
        raise OSError("Vulkan's loader finds no driver")
    if code:
        raise OSError(f"Vulkan's loader fails (code {code})")
    return instance


class _Answer:
    """A chain of Vulkan structures to be filled, each read as 32-bit numbers behind its header."""

    def __init__(self, head: int, size: int, *others: tuple[int, int]) -> None:
        self._parts: list[ctypes.Array[ctypes.c_char]] = []
        for kind, length in (*others[::-1], (head, size)):
            part = ctypes.create_string_buffer(16 + length + 8)
            ctypes.c_uint32.from_buffer(part).value = kind
            if self._parts:
                ctypes.c_void_p.from_buffer(part, 8).value = ctypes.addressof(self._parts[0])
            self._parts.insert(0, part)

    @property
    def address(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(ctypes.addressof(self._parts[0]))

    def numbers(self, part: int, offset: int, count: int) -> list[int]:
        array = (ctypes.c_uint32 * count).from_buffer(self._parts[part], 16 + offset)
        return list(array)

    def data(self, part: int, offset: int, size: int) -> bytes:
        return self._parts[part].raw[16 + offset : 16 + offset + size]

    def text(self, part: int, offset: int) -> str:
        return self.data(part, offset, 256).split(b"\0")[0].decode(errors="replace")


def _describe(loader: ctypes.CDLL, handle: ctypes.c_void_p) -> VulkanDevice | None:
    """Describe a device; None where it is older than Vulkan 1.2, which IREE does not run on.

    The offsets are those of vulkan_core.h: they are part of Vulkan's binary interface.
    """
    old = _Answer(1000059001, 824)
    loader.vkGetPhysicalDeviceProperties2(handle, old.address)
    if old.numbers(0, 0, 1)[0] < _VERSION_1_2:
        return None
    # Properties: the head, of the device itself, of its subgroups, their control, its driver, its floats.
    said = _Answer(
        *(1000059001, 824),
        *((1000071004, 48), (1000094000, 16), (1000225000, 16), (1000196000, 520), (1000197000, 68)),
    )
    loader.vkGetPhysicalDeviceProperties2(handle, said.address)
    version, _, maker, _, kind = said.numbers(0, 0, 5)
    limits = 296
    size, _, operations, _ = said.numbers(2, 0, 4)
    least, most, _, stages = said.numbers(3, 0, 4)
    steady = least == most == size or bool(stages & _COMPUTE_STAGE)
    threads, *sizes = said.numbers(0, limits + 232, 4)
    compute, storage = _types(loader, handle)
    preserved = said.numbers(5, 8, 3)  # behind two numbers on denormals and rounding
    kinds = ("shuffle",) if operations & 0x30 == 0x30 else ()
    kinds += ("arithmetic",) if operations & 0x4 else ()
    return VulkanDevice(
        name=said.text(0, 20),
        driver=f"{said.text(4, 4)} {said.text(4, 260)}".strip(),
        uuid=said.data(1, 0, 16).hex(),
        kind=_KINDS[kind] if kind < len(_KINDS) else "other",
        architecture=_MAKERS.get(maker, ""),
        spirv="v1.6" if (version >> 12) & 0x3FF >= 3 else "v1.5",
        compute=compute,
        storage=storage,
        subgroup=kinds if steady and len(kinds) == 2 else (),
        subgroup_size=size,
        workgroup_sizes=tuple(sizes),
        workgroup_threads=threads,
        workgroup_memory=said.numbers(0, limits + 216, 1)[0],
        workgroup_counts=tuple(min(n, 2**31 - 1) for n in said.numbers(0, limits + 220, 3)),
        unified=_is_unified(loader, handle),
        keeps_nan=all(
            kept for kept, width in zip(preserved, (16, 32, 64), strict=True) if f"fp{width}" in compute
        ),
        longest_loop=_LLVMPIPE_LOOP if said.numbers(4, 0, 1)[0] == _LLVMPIPE else 0,
    )


def _types(loader: ctypes.CDLL, handle: ctypes.c_void_p) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the types that kernels may compute with, and the widths that they may load and store."""
    offered = _Answer(1000059000, 220, (1000082000, 8), (1000177000, 12), (1000083000, 16))
    loader.vkGetPhysicalDeviceFeatures2(handle, offered.address)
    float64, int64, int16 = offered.numbers(0, 39 * 4, 3)
    float16, int8 = offered.numbers(1, 0, 2)
    compute = {"fp64": float64, "fp32": 1, "fp16": float16}
    compute |= {"int64": int64, "int32": 1, "int16": int16, "int8": int8}
    stored8, stored16 = offered.numbers(2, 0, 1)[0], offered.numbers(3, 0, 1)[0]
    storage = {"b64": int64 or float64, "b32": 1, "b16": stored16, "b8": stored8}
    return _names(compute), _names(storage)


def _names(offered: dict[str, int]) -> tuple[str, ...]:
    return tuple(name for name, there in offered.items() if there)


def _is_unified(loader: ctypes.CDLL, handle: ctypes.c_void_p) -> bool:
    """Tell whether all of the device's own memory is the host's too, cached: integrated devices, CPUs."""
    memory = (ctypes.c_uint32 * 130)()  # 1 + 32 * (flags, heap), 1 + padding, 16 * (size, flags)
    loader.vkGetPhysicalDeviceMemoryProperties(handle, ctypes.byref(memory))
    types = [(memory[1 + 2 * i], memory[2 + 2 * i]) for i in range(memory[0])]
    local = {heap for flags, heap in types if flags & 1}
    return bool(local) and local <= {heap for flags, heap in types if flags & 0b1011 == 0b1011}


def best(devices: Sequence[VulkanDevice]) -> VulkanDevice | None:
    """Return the device to use: a graphics card before an integrated one before the processor."""
    order = ("discrete", "integrated", "virtual", "other", "cpu")
    return min(devices, key=lambda device: order.index(device.kind), default=None)
