"""What compiling a partition gives: bytes and the signature to call them with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TensorSpec:
    """One tensor of a signature.

    `shape` holds sizes, or expressions over the signature's symbols where a size is known only at
    the call. `order` is the permutation that brings the tensor's dimensions into memory order:
    `tensor.permute(order)` is contiguous, and that is what crosses into the compiled code.
    """

    dtype: str
    shape: tuple[int | str, ...]
    order: tuple[int, ...]

    @property
    def is_static(self) -> bool:
        """Whether every size is known."""
        return all(isinstance(size, int) for size in self.shape)

    @property
    def is_permuted(self) -> bool:
        """Whether the memory order differs from the order of the dimensions."""
        return self.order != tuple(range(len(self.order)))


@dataclass(frozen=True)
class Signature:
    """How to call a compiled partition.

    `inputs` has a TensorSpec for a tensor and `"int"`, `"float"` or `"bool"` for a scalar.
    `symbols` gives, for each symbol of the outputs' shapes, the input and the dimension that hold
    its value (dimension -1: the input is that integer). `bound` lists the outputs whose memory the
    caller provides; the others are allocated by the compiled code. `guarded` says that the last output
    is not a result but a truth value: whether an index was out of range.
    """

    inputs: tuple[TensorSpec | str, ...]
    outputs: tuple[TensorSpec, ...]
    symbols: tuple[tuple[str, int, int], ...] = ()
    bound: tuple[int, ...] = ()
    guarded: bool = False


@dataclass(frozen=True)
class Artifact:
    """A compiled partition: an IREE module and its signature; no handles."""

    vmfb: bytes
    signature: Signature
