"""Truth values as torch's generator for CPUs draws them, by vectors: what dropout keeps.

torch draws them one after the other. `masks.mlir` draws the same ones from the same state, and leaves the
same state behind. The op `myjit::bernoulli` is `aten.bernoulli.p`; once the kernel is installed it serves the
op, if it has drawn what torch draws on this machine.
"""

from __future__ import annotations

import logging
import math
from pathlib import Path

import torch
from torch import Tensor

from myjit.artifact import Artifact, Signature, TensorSpec
from myjit.errors import MyjitError
from myjit.runtime.device import WITHOUT_THREADS
from myjit.runtime.executable import Executable

log = logging.getLogger(__name__)

aten = torch.ops.aten

SOURCE = Path(__file__).with_suffix(".mlir")
#: Elements of the smallest mask for which a call of the kernel pays, and of the largest that it counts.
SMALLEST, LARGEST = 4096, 2**31 - 1
#: 64-bit words of a generator's state.
_WORDS = 632
_STATE = TensorSpec("int64", (_WORDS,), (0,))
_SIGNATURE = Signature(
    (_STATE, "int", "int"), (_STATE, TensorSpec("bool", ("n",), (0,))), symbols=(("n", 1, -1),), bound=(0, 1)
)
#: Sizes of masks that are drawn one after the other, once, to compare them with torch's.
_TRIED = (5003, 4999, 7)


class _Kernel:
    """The compiled kernel. It is compared with torch at its first call, with tensors that are real."""

    def __init__(self, vmfb: bytes) -> None:
        self._call = Executable(Artifact(vmfb, _SIGNATURE), WITHOUT_THREADS, name="masks").call
        self._agrees: bool | None = None

    def serves(self) -> bool:
        """Tell whether it draws what torch draws."""
        if self._agrees is None:
            self._agrees = self._as_torch()
        return self._agrees

    def give_up(self) -> None:
        """Leave masks to torch from now on."""
        self._agrees = False

    def draw(self, state: Tensor, count: int, p: float) -> tuple[Tensor, Tensor]:
        """Return the state of a generator after it has drawn `count` truth values, and these."""
        after, mask = self._call([state.view(torch.int64), count, math.ceil(p * 2**53)])
        return after.view(torch.uint8), mask

    def _as_torch(self) -> bool:
        generator = torch.Generator("cpu").manual_seed(0)
        return all(self._draws_alike(generator, count) for count in _TRIED)

    def _draws_alike(self, generator: torch.Generator, count: int) -> bool:
        before = generator.get_state()
        if before.nbytes != 8 * _WORDS:
            return False
        like = torch.empty(count, dtype=torch.bool, device="cpu")
        expected = aten.bernoulli.p(like, 0.3, generator=generator)
        after, mask = self.draw(before, count, 0.3)
        return torch.equal(mask, expected) and torch.equal(after, generator.get_state())


_installed: list[_Kernel] = []


def install(vmfb: bytes) -> None:
    """Have the compiled kernel draw from now on."""
    _installed[:] = [_Kernel(vmfb)]


def is_installed() -> bool:
    """Tell whether the process has the kernel."""
    return bool(_installed)


def _bernoulli(like: Tensor, p: float) -> Tensor:
    drawn = _drawn(like, p) if _installed and _is_mask(like) and 0 <= p <= 1 else None
    return aten.bernoulli.p(like, p) if drawn is None else drawn


def _drawn(like: Tensor, p: float) -> Tensor | None:
    """Draw a mask by the kernel; None where torch has to."""
    kernel, generator = _installed[0], torch.default_generator
    before = generator.get_state()
    try:
        if not kernel.serves():
            return None
        after, mask = kernel.draw(before, like.numel(), p)
    except MyjitError as error:
        log.warning("masks are drawn by torch: %s", error)
        kernel.give_up()
        return None
    if not torch.equal(generator.get_state(), before):  # another thread has drawn these numbers
        return None
    generator.set_state(after)
    return mask.view(like.shape)


def _is_mask(like: Tensor) -> bool:
    is_plain = type(like) is Tensor and like.device.type == "cpu" and like.is_contiguous()
    return is_plain and like.dtype == torch.bool and SMALLEST <= like.numel() <= LARGEST


_LIBRARY = torch.library.Library("myjit", "FRAGMENT")
_LIBRARY.define("bernoulli(Tensor like, float p) -> Tensor", tags=(torch.Tag.nondeterministic_seeded,))
_LIBRARY.impl("bernoulli", _bernoulli, "CompositeExplicitAutograd")
torch.library.register_fake("myjit::bernoulli", lambda like, p: torch.empty_like(like), lib=_LIBRARY)

#: The op: a tensor of the mask's shape, and how likely each element is true.
BERNOULLI = torch.ops.myjit.bernoulli.default
