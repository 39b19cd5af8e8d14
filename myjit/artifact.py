"""What compiling a partition gives: bytes and the signature to call them with."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Types that a weight may have which a module asks for by name; IREE packs truth values into bits.
PARAMETER_DTYPES = frozenset(
    (*("float64", "float32", "float16", "bfloat16"), *("int64", "int32", "int16", "int8", "uint8"))
)


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
    is not a result but a truth value: whether an index was out of range. `held` are the inputs that are
    not passed: the module asks for them when it is loaded, each by its position. `in_place` pairs outputs
    with the inputs whose memory they are written into.
    """

    inputs: tuple[TensorSpec | str, ...]
    outputs: tuple[TensorSpec, ...]
    symbols: tuple[tuple[str, int, int], ...] = ()
    bound: tuple[int, ...] = ()
    guarded: bool = False
    held: tuple[int, ...] = ()
    in_place: tuple[tuple[int, int], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the signature as plain lists and dictionaries."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Signature:
        """Read what `to_json` returned.

        Raises:
            ValueError: it is something else.
        """
        try:
            return cls(
                tuple(i if i in _SCALARS else _spec(i) for i in data["inputs"]),
                tuple(_spec(o) for o in data["outputs"]),
                tuple((_name(name), int(index), int(dim)) for name, index, dim in data["symbols"]),
                tuple(int(i) for i in data["bound"]),
                bool(data["guarded"]),
                tuple(int(i) for i in data.get("held", ())),
                tuple((int(output), int(given)) for output, given in data.get("in_place", ())),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"no signature: {type(error).__name__}: {error}") from error


_SCALARS = ("int", "float", "bool")


def _name(text: Any) -> str:
    """Return a name that ends up in generated code, if it is one."""
    if not isinstance(text, str) or not text.isidentifier():
        raise ValueError(f"{text!r} is no name")
    return text


def _spec(data: Any) -> TensorSpec:
    shape = tuple(s if isinstance(s, (int, str)) else int(s) for s in data["shape"])
    return TensorSpec(_name(data["dtype"]), shape, tuple(int(d) for d in data["order"]))


@dataclass(frozen=True)
class Artifact:
    """A compiled partition: an IREE module and its signature; no handles.

    `parameters` are the weights that the module asks for by name when it is loaded, as bytes.
    """

    vmfb: bytes
    signature: Signature
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
