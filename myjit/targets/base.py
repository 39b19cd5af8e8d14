"""What a target is, and the registry of targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

from myjit.cache import DiskCache
from myjit.errors import OptionsError, TargetUnavailableError
from myjit.launches import Launches
from myjit.registry import Registry

#: Whose memory compiled code works in: torch's, or the device's, unified with the host's or separate.
Memory = Literal["torch", "unified", "separate"]


@dataclass(frozen=True)
class Rates:
    """How fast attention is computed, in floating-point operations a microsecond.

    In half types, in half types with a mask, and in f32.
    """

    half: float
    masked: float
    f32: float


@dataclass(frozen=True)
class Costs:
    """What work costs on a target, in microseconds and in bytes a microsecond, as measured.

    The host and the device work at the same time, so each is counted by itself. On the host: `graph` is
    what torch.compile itself takes for a call, whatever runs inside, `torch_op` is an op of torch,
    `torch_convolution` a convolution, `torch_view` a view, `beside_view` a view that runs beside compiled
    parts (it is called singly, where the user's program has it inside of other calls), `call` one call of a
    compiled part, `kernel` each of its kernels, `product` each call of a library, and `replay` all of them,
    where they are replayed. On the device: `bandwidth` is how fast torch reads and writes, `torch_rows` how
    fast its reductions of rows do, `pointwise` and `rows` how fast compiled pointwise code and compiled
    reductions of rows do; the latter are `row_kernels` kernels each. `gaining` lists the ops, besides
    pointwise ones and views, that are worth compiling, `gaining_in_inference` those that are where nothing
    is kept for a backward; rows up to `longest_row` elements. What takes less than `gain` of torch's time
    is compiled.
    """

    torch_op: float
    torch_view: float
    beside_view: float
    call: float
    kernel: float
    product: float
    bandwidth: float
    pointwise: float
    rows: float
    torch_rows: float = 0.0
    torch_convolution: float = 0.0
    row_kernels: int = 2
    replay: float = 0.0
    torch_attention: Rates | None = None
    attention: Rates | None = None
    gaining: tuple[str, ...] = ()
    gaining_in_inference: tuple[str, ...] = ()
    longest_row: int = 16384
    graph: float = 0.0
    gain: float = 0.85


@dataclass(frozen=True)
class ConvolutionGain:
    """What torch's library saves on a graph's convolutions, in microseconds an operation, as measured.

    `dense` is for kernels larger than one whose windows overlap, `grouped` for several groups that are not
    single channels. A graph's have to save `each` on average and more than `border` together: what is
    compiled runs slower beside torch's threads, and in more pieces. Where there are `panels`, compiled code
    adds up convolutions of float32 and known sizes no slower than the library; those of bfloat16 where there
    are `matrices` as well.
    """

    dense: float
    grouped: float
    each: float
    border: float
    panels: bool = False
    matrices: bool = False


@dataclass(frozen=True)
class Target:
    """A kind of machine to compile for. Subclasses hold every per-target fact.

    `name` is what users write, `torch_device` the torch device type whose tensors the target takes,
    `pipeline` the name of its default pipeline.
    """

    name: ClassVar[str]
    torch_device: ClassVar[str]
    pipeline: ClassVar[str]
    #: Whether a module can ask for its weights when it is loaded, and keep them packed.
    holds_weights: ClassVar[bool] = False
    #: Ops that torch's libraries run faster than what is compiled for this target, as measured.
    faster_in_torch: ClassVar[tuple[str, ...]] = ()
    #: Whether torch is faster where a pooling is asked for the places of the largest elements too.
    slow_places: ClassVar[bool] = False
    #: Nanoseconds that torch saves on each number of a scan, scatter or sampling, by the op's name.
    series: ClassVar[Mapping[str, float]] = MappingProxyType({})
    #: Whether compiled code runs as launches on torch's own stream, wherever its host part allows that.
    launches: ClassVar[bool] = False
    #: Whether there are kernels of `myjit/kernels/` for it, attention among them.
    kernels: ClassVar[bool] = False
    #: Where given, only fused pointwise ops that these costs favour are compiled by default.
    costs: ClassVar[Costs | None] = None
    #: What tuning tries beside a part's own driver and pipeline: drivers, and stages to leave out.
    drivers: ClassVar[tuple[str, ...]] = ()
    optional_stages: ClassVar[tuple[str, ...]] = ()

    def convolutions(self) -> ConvolutionGain | None:
        """Return what torch's library saves on convolutions; None where they are compiled anyway.

        By default they run there where they gain enough; of their gradients compiled code computes those that
        the library computes slowly (`quick_gradients`).
        """
        return None

    def unavailable_reason(self) -> str:
        """Say why the target cannot be used on this machine; empty when it can."""
        raise NotImplementedError

    def flags(self) -> tuple[str, ...]:
        """Return the compiler flags that choose this target."""
        raise NotImplementedError

    def variant(self, machine: str) -> Target:
        """Return the target for another machine of its kind, such as a processor by LLVM's name.

        Raises:
            OptionsError: the target has no variants.
        """
        raise OptionsError(f"target {self.name!r} has no variant {machine!r}: it has none")

    def identity(self) -> str:
        """Name what compiled code depends on: the flags, and of this machine what they leave open."""
        raise NotImplementedError

    def on(self, index: int | None) -> Target:
        """Return the target for the device that torch numbers `index`; None is torch's current one."""
        return self

    def place(self) -> str:
        """Return the device whose tensors the target takes, as torch writes it: `cpu`, `cuda:0`."""
        return self.torch_device

    def lacks(self) -> frozenset[str]:
        """Name the data types (as torch does, `float64`) that this target has no code for."""
        return frozenset()

    def longest_loop(self) -> int:
        """Return how many steps loops may take where longer ones come out wrong, 0 for any number."""
        return 0

    def libraries(self) -> tuple[str, ...]:
        """Name the libraries that code compiled to run in this process can call in it."""
        return ()

    def granted(self) -> tuple[str, ...]:
        """Name what the system lets code in this process use, and lets those use that load saved programs."""
        return ()

    def memory(self) -> Memory:
        """Say whose memory the compiled code works in."""
        return "torch"

    def driver(self, *, work: float, wish: str = "auto") -> str:
        """Return the IREE driver to run a partition on that leaves IREE about `work` elements to share out.

        `wish` is the option `device`, for targets that leave a choice.
        """
        raise NotImplementedError

    def enqueuer(
        self, launches: Launches, *, tunes: bool = False, cache: DiskCache | None = None
    ) -> Callable[[Sequence[int]], None]:
        """Return what sends `launches` to torch's current stream, given the address of each slot.

        Where it `tunes`, kernels of several forms are timed, and `cache` remembers the fastest.

        Raises:
            LoadError: the device refuses the kernels.
        """
        raise NotImplementedError

    def devices(self) -> tuple[str, ...]:
        """Name the devices of this target on this machine."""
        raise NotImplementedError

    def require_available(self) -> None:
        """Raise TargetUnavailableError, with the reason, when the target cannot be used."""
        reason = self.unavailable_reason()
        if reason:
            raise TargetUnavailableError(f"target {self.name!r} is not available: {reason}")


def find_target(text: str) -> Target:
    """Return the target that `name` or `name:machine` stands for.

    Raises:
        RegistryError: no such target. OptionsError: no such variant of it.
    """
    name, _, machine = text.partition(":")
    target = TARGETS.get(name)
    return target.variant(machine) if machine else target


TARGETS: Registry[Target] = Registry("target", "myjit.targets", "TARGET", "myjit.targets", Target)
