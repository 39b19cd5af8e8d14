"""Weights in the safetensors format: a JSON header, then the tensors' bytes.

Written out here because artifacts run where neither torch nor the safetensors package is installed.
https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from myjit.errors import ArtifactError

ALIGNMENT = 64
_LENGTH = struct.Struct("<Q")
#: Names of the format, by torch's and numpy's.
_CODES = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint8": "U8",
    "bool": "BOOL",
}
_DTYPES = {code: name for name, code in _CODES.items()}
_BITS = {"F64": 64, "F32": 32, "F16": 16, "BF16": 16, "I64": 64, "I32": 32, "I16": 16, "I8": 8, "U8": 8}


@dataclass(frozen=True)
class Weight:
    """One tensor: contiguous bytes in row-major order, with element type (torch's name) and sizes."""

    dtype: str
    shape: tuple[int, ...]
    data: Any

    @property
    def kind(self) -> str:
        """Element type and sizes, for messages."""
        return f"{self.dtype}{list(self.shape)}"


def write_weights(weights: Mapping[str, Weight]) -> Iterator[Any]:
    """Yield a file's bytes in chunks. Tensors of whole cache lines come first, so that they are aligned.

    Raises:
        ArtifactError: an element type that the format does not have.
    """
    views = {name: memoryview(w.data).cast("B") for name, w in weights.items()}
    order = sorted(weights, key=lambda name: len(views[name]) % ALIGNMENT != 0)
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name in order:
        weight, size = weights[name], len(views[name])
        if weight.dtype not in _CODES:
            raise ArtifactError(f"the weight {name!r} is {weight.dtype}, which cannot be saved")
        header[name] = {
            "dtype": _CODES[weight.dtype],
            "shape": list(weight.shape),
            "data_offsets": [offset, offset + size],
        }
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + _LENGTH.size) % ALIGNMENT)
    yield _LENGTH.pack(len(text)) + text
    yield from (views[name] for name in order)


def read_weights(data: memoryview) -> dict[str, Weight]:
    """Read a file's tensors, without copying them.

    Raises:
        ArtifactError: it is not in the format.
    """
    try:
        (length,) = _LENGTH.unpack_from(data)
        header = json.loads(bytes(data[_LENGTH.size : _LENGTH.size + length]))
        body = data[_LENGTH.size + length :]
        entries = {name: facts for name, facts in header.items() if name != "__metadata__"}
        return {name: _read(name, facts, body) for name, facts in entries.items()}
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ArtifactError(f"the weights are not in the safetensors format: {error}") from error


def _read(name: str, facts: Mapping[str, Any], body: memoryview) -> Weight:
    start, end = facts["data_offsets"]
    shape: Sequence[int] = facts["shape"]
    elements = 1
    for size in shape:
        elements *= size
    bits = _BITS.get(facts["dtype"], 8)
    if not 0 <= start <= end <= len(body) or end - start != elements * bits // 8:
        raise ValueError(f"the place of {name!r} does not fit its shape")
    return Weight(_DTYPES[facts["dtype"]], tuple(shape), body[start:end])
