"""NVIDIA GPUs, by default the one that the inputs are on, through IREE's CUDA code generator."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import ClassVar

from myjit.cache import DiskCache
from myjit.errors import OptionsError, TargetUnavailableError
from myjit.launches import Launches
from myjit.targets.base import Costs, Rates, Target

#: The architectures that IREE 3.13 generates code for; drivers run it on later ones too. It refuses
#: `sm_90` and later: "missing GPU target in #hal.executable.target".
ARCHITECTURES = ("sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89")

#: Shared memory, in bytes, that a block of code for sm_80 may ask for. Consumer parts have less, also
#: those that came later.
_SHARED_MEMORY_OF_SM_80 = 163 * 1024

# Measured on an H200: benchmarks/NOTES.md, "CUDA".
_COSTS = Costs(
    graph=20.0,
    torch_op=9.0,
    torch_convolution=30.0,
    torch_view=2.0,
    beside_view=5.0,
    call=7.0,
    kernel=2.0,
    product=14.0,
    replay=14.0,
    bandwidth=3.2e6,
    pointwise=2.0e6,
    rows=1.2e6,
    torch_rows=2.2e6,
    gaining=(
        *("aten.mm", "aten.addmm", "aten.bmm"),
        *("aten.native_layer_norm", "aten._fused_rms_norm", "aten._softmax", "aten.mean.dim"),
        *("aten.clone", "aten._to_copy", "aten.cat", "aten.arange", "aten.scalar_tensor", "aten.full"),
        *("aten.full_like", "aten.zeros", "aten.ones", "aten.new_ones", "aten.new_zeros"),
        # Pointwise ones that torch does not tag so.
        *("aten.hardswish", "aten.glu", "aten._prelu_kernel", "aten.log_sigmoid_forward", "aten.fill"),
        *("aten.tril", "aten.triu", "aten.constant_pad_nd"),
    ),
    gaining_in_inference=(
        *("aten.convolution", "aten._native_batch_norm_legit_no_training"),
        *("aten.max_pool2d_with_indices", "aten.avg_pool2d"),
    ),
)
_COSTS_WITH_TRITON = replace(
    _COSTS,
    rows=3.2e6,
    row_kernels=1,
    torch_attention=Rates(half=500e6, masked=100e6, f32=34e6),
    attention=Rates(half=380e6, masked=150e6, f32=41e6),
    gaining=(*_COSTS.gaining, "myjit.attention"),
)


@dataclass(frozen=True)
class CudaTarget(Target):
    """Compile for an NVIDIA GPU, and run on device `index` as torch numbers them.

    `arch` is an architecture by NVIDIA's name, such as `sm_86`; empty is the device's own.
    """

    name: ClassVar[str] = "cuda"
    torch_device: ClassVar[str] = "cuda"
    pipeline: ClassVar[str] = "cuda"
    # cuDNN and flash attention are 6 to 13 times as fast as IREE's code on an H200.
    faster_in_torch: ClassVar[tuple[str, ...]] = (
        "aten.convolution_backward",
        *("aten._scaled_dot_product_flash_attention", "aten._scaled_dot_product_flash_attention_backward"),
        "aten._scaled_dot_product_efficient_attention",
        "aten._scaled_dot_product_efficient_attention_backward",
        *("aten._scaled_dot_product_cudnn_attention", "aten._scaled_dot_product_cudnn_attention_backward"),
        *("myjit.recurrent_layer", "myjit.recurrent_layer_backward"),
    )
    costs: ClassVar[Costs] = _COSTS_WITH_TRITON if find_spec("triton") is not None else _COSTS
    launches: ClassVar[bool] = True
    kernels: ClassVar[bool] = True

    arch: str = ""
    index: int = 0

    def variant(self, machine: str) -> CudaTarget:
        """Return the target for another architecture."""
        if machine not in ARCHITECTURES:
            known = ", ".join(ARCHITECTURES)
            raise OptionsError(f"target 'cuda' has no variant {machine!r}: IREE compiles for {known}")
        return replace(self, arch=machine)

    def on(self, index: int | None) -> CudaTarget:
        """Return the target for one of several devices; None is torch's current one."""
        import torch

        chosen = torch.cuda.current_device() if index is None else index
        return replace(self, index=chosen, arch=self.arch or own_architecture(chosen))

    def place(self) -> str:
        """Return `cuda:0` or another device, as torch writes it."""
        return f"{self.torch_device}:{self.index}"

    def unavailable_reason(self) -> str:
        """Say what is missing: the driver, CUDA in torch, or a device."""
        try:
            ctypes.CDLL("libcuda.so.1")
        except OSError:
            return "no NVIDIA driver is installed (libcuda.so.1 is not found)"
        import torch

        if torch.version.cuda is None:
            return f"torch {torch.__version__} is built without CUDA"
        if not torch.cuda.is_available():
            return "the driver finds no CUDA device that this torch can use"
        return ""

    def flags(self) -> tuple[str, ...]:
        """Return the flags that choose CUDA and the architecture.

        Raises:
            TargetUnavailableError: there is no device to take the architecture from.
        """
        arch = self.arch
        if not arch:
            reason = self.unavailable_reason()
            if reason:
                raise TargetUnavailableError(
                    f"target 'cuda' needs an architecture, such as {ARCHITECTURES[-1]}: {reason}"
                )
            arch = own_architecture(self.index)
        return ("--iree-hal-target-device=cuda", f"--iree-cuda-target={arch}")

    def identity(self) -> str:
        """Return the flags: they name the architecture, and the driver compiles for the rest."""
        return " ".join(self.flags())

    def driver(self, *, work: float, wish: str = "auto") -> str:
        """Return IREE's name of the device; there is nothing to choose between."""
        return f"cuda://{self.index}"

    def enqueuer(
        self, launches: Launches, *, tunes: bool = False, cache: DiskCache | None = None
    ) -> Callable[[Sequence[int]], None]:
        """Return what sends `launches` to torch's current stream on the device."""
        from myjit.targets._cuda_launches import enqueuer

        if not tunes:
            return enqueuer(launches, self.index, None)
        from myjit.targets._cuda_tuning import Tuning

        return enqueuer(launches, self.index, Tuning(cache, self.index))

    def devices(self) -> tuple[str, ...]:
        """Name the GPUs, each with what is compiled for it."""
        import torch

        return tuple(
            f"cuda:{i} ({torch.cuda.get_device_name(i)}, compiled for {own_architecture(i)})"
            for i in range(torch.cuda.device_count())
        )


def own_architecture(index: int) -> str:
    """Return what to compile for to run on a device of this machine.

    Raises:
        TargetUnavailableError: the device is older than anything IREE compiles for.
    """
    import torch

    properties = torch.cuda.get_device_properties(index)
    capability = torch.cuda.get_device_capability(index)
    shared = getattr(properties, "shared_memory_per_block_optin", 0)
    arch = nearest_architecture(capability, shared_memory=shared)
    if not arch:
        version = ".".join(map(str, capability))
        raise TargetUnavailableError(f"IREE compiles for {ARCHITECTURES[0]} and later; {index} is {version}")
    return arch


def nearest_architecture(capability: tuple[int, int], *, shared_memory: int) -> str:
    """Return the architecture to compile for, given a device's compute capability; empty for none.

    The newest that IREE knows and the device runs; but sm_80 for later devices that offer as much shared
    memory: IREE's code for it uses larger tiles.
    """
    version = capability[0] * 10 + capability[1]
    runs = [arch for arch in ARCHITECTURES if int(arch.removeprefix("sm_")) <= version]
    if "sm_80" in runs and shared_memory >= _SHARED_MEMORY_OF_SM_80:
        return "sm_80"
    return runs[-1] if runs else ""


TARGET = CudaTarget()
