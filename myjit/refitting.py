"""Replace the weights of a saved artifact: no compile, names, sizes and types checked."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from myjit.errors import ArtifactError
from myjit.registry import did_you_mean
from myjit.safetensors import Weight, read_weights, write_weights
from myjit.saved_file import SavedFile, write_saved


def refit(
    path: str | Path, weights: Mapping[str, Any] | str | Path, output: str | Path | None = None
) -> Path:
    """Write the artifact at `path` with other weights to `output`, or in its place; return where.

    `weights` are tensors or arrays by the names of the model's state_dict, or a safetensors file.
    Weights that are not given stay; those that the artifact does not use are checked and left out.

    Raises:
        ArtifactError: a name that the model did not have, another size or type, or two values for
            weights that share their memory. Nothing is written then.
    """
    source = SavedFile(Path(path))
    table = source.manifest["parameters"]
    stored = read_weights(source.member(_WEIGHTS))
    given = _read(Path(weights)) if isinstance(weights, (str, Path)) else _converted(weights)
    replaced: dict[str, str] = {}
    for name, weight in given.items():
        if name not in table:
            raise ArtifactError(f"the artifact has no weight {name!r}.{did_you_mean(name, table)}")
        place = table[name]["stored"]
        if weight.kind != stored[place].kind:
            raise ArtifactError(
                f"the weight {name!r} is {weight.kind}, the artifact's is {stored[place].kind}"
            )
        if place in replaced and bytes(stored[place].data) != bytes(weight.data):
            raise ArtifactError(f"{replaced[place]!r} and {name!r} share their memory, but differ")
        stored[place] = weight
        replaced[place] = name
    members = {n: [source.member(n)] for n in source.names() if n != _WEIGHTS}
    facts = {k: v for k, v in source.manifest.items() if k not in ("kind", "format", "members")}
    destination = Path(output) if output is not None else Path(path)
    write_saved(destination, facts, {**members, _WEIGHTS: write_weights(stored)})
    return destination


_WEIGHTS = "parameters.safetensors"


def _read(path: Path) -> dict[str, Weight]:
    try:
        return read_weights(memoryview(path.read_bytes()))
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read: {error}") from error


def _converted(weights: Mapping[str, Any]) -> dict[str, Weight]:
    return {name: _weight(name, value) for name, value in weights.items()}


def _weight(name: str, value: Any) -> Weight:
    """Take the bytes of a torch tensor, or of whatever numpy takes for an array."""
    import numpy as np

    with contextlib.suppress(ImportError):
        import torch

        from myjit.frontend.tensor_bytes import tensor_weight

        if isinstance(value, torch.Tensor):
            return tensor_weight(value)
    array = np.ascontiguousarray(value)
    if array.dtype == object:
        raise ArtifactError(f"the weight {name!r} is no tensor and no array: {type(value).__name__}")
    return Weight(array.dtype.name, np.shape(value), array.tobytes())
