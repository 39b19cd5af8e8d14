"""A saved artifact, opened: what it takes and gives, which variant fits this machine, its weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from myjit.artifact import Signature
from myjit.errors import ArtifactError
from myjit.machine import why_not
from myjit.runtime.arithmetic import evaluate
from myjit.runtime.structure import flatten, unflatten
from myjit.safetensors import Weight, read_weights
from myjit.saved_file import SavedFile

#: Runs the compiled code: takes its arguments, returns its results.
Invoke = Callable[[list[Any]], Sequence[Any]]


class Saved:
    """An artifact with the variant to run.

    `target` chooses the variant by name; by default the first that this machine supports is taken.

    Raises:
        ArtifactError: the file is damaged, or no variant of it runs on this machine.
    """

    def __init__(self, path: str | Path, target: str | None = None) -> None:
        self.file = SavedFile(Path(path))
        self.path = self.file.path
        manifest = self.file.manifest
        try:
            self.variant = _choose(manifest["variants"], target, self.path)
            self.signature = Signature.from_json(self.variant["signature"])
            absent = {"file", "driver", "taken", "arguments", "updates", "outputs"} - set(self.variant)
            if absent:
                raise KeyError(*sorted(absent))
            self.leaves: list[Mapping[str, Any]] = manifest["inputs"]["leaves"]
            self._structures = (manifest["inputs"]["structure"], manifest["outputs"]["structure"])
            self._limits = manifest["symbols"]
            self.table: Mapping[str, Mapping[str, Any]] = manifest["parameters"]
        except (KeyError, TypeError, ValueError) as error:
            raise ArtifactError(f"{self.path}: the manifest is incomplete: {error}") from error
        self.weights = read_weights(self.file.member("parameters.safetensors"))

    @property
    def vmfb(self) -> memoryview:
        """The compiled module of the variant."""
        return self.file.member(self.variant["file"])

    def parameters(self) -> dict[str, memoryview]:
        """Return the weights that the compiled module asks for by name."""
        return {name: self.weights[name].data for name in self.variant["taken"]}

    def held(self, convert: Callable[[Weight], Any]) -> dict[str, Any]:
        """Return the weights that are passed at each call, converted: buffers that calls may change."""
        names = [a["held"] for a in self.variant["arguments"] if "held" in a]
        return {name: convert(self.weights[self.table[name]["stored"]]) for name in names}

    def run(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], held: dict[str, Any], invoke: Invoke
    ) -> Any:
        """Check the arguments, call the compiled code, and build the results.

        Raises:
            ArtifactError: the arguments are not those that the artifact was made for.
        """
        positional, named = self._structures[0]["tuple"]
        values = [
            *flatten(args, positional, "the positional arguments"),
            *flatten(kwargs, named, "the keyword arguments"),
        ]
        symbols = self._check(values)
        arguments = [
            values[a["input"]] if "input" in a else held[a["held"]] for a in self.variant["arguments"]
        ]
        results = invoke(arguments)
        held.update({name: results[index] for name, index in self.variant["updates"].items()})
        leaves = [_leaf(fact, values, results, symbols) for fact in self.variant["outputs"]]
        return unflatten(leaves, self._structures[1])

    def arguments_of(self, leaves: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Build the positional and the keyword arguments from their leaves."""
        args, kwargs = unflatten(leaves, self._structures[0])
        return args, kwargs

    def _check(self, values: Sequence[Any]) -> dict[str, int]:
        """Check every leaf against what it was exported with; return the sizes that the call brings."""
        symbols: dict[str, int] = {}
        for index, (value, fact) in enumerate(zip(values, self.leaves, strict=True)):
            if "tensor" in fact:
                self._check_tensor(index, value, fact["tensor"], symbols)
            elif "int" in fact:
                self._check_size(f"argument {index}", int(value), fact["int"], symbols)
            elif value != fact["constant"]:
                raise ArtifactError(
                    f"argument {index} is {value!r}; the artifact was made for {fact['constant']!r}"
                )
        for index, (value, fact) in enumerate(zip(values, self.leaves, strict=True)):
            for dim, size in enumerate(fact.get("tensor", {}).get("shape", ())):
                wanted = evaluate(size, symbols) if isinstance(size, str) else size
                if wanted is not None and value.shape[dim] != wanted:
                    raise ArtifactError(
                        f"argument {index} has size {value.shape[dim]} in dimension {dim}, not {wanted}"
                    )
        return symbols

    def _check_tensor(self, index: int, value: Any, fact: Mapping[str, Any], symbols: dict[str, int]) -> None:
        shape = getattr(value, "shape", None)
        if shape is None:
            raise ArtifactError(f"argument {index} must be a tensor, not {type(value).__name__}")
        if len(shape) != len(fact["shape"]):
            raise ArtifactError(f"argument {index} has {len(shape)} dimensions, not {len(fact['shape'])}")
        for dim, size in enumerate(fact["shape"]):
            if isinstance(size, str):
                self._check_size(f"dimension {dim} of argument {index}", shape[dim], size, symbols)

    def _check_size(self, what: str, value: int, name: str | int, symbols: dict[str, int]) -> None:
        """Give a symbol its value where the size is one; the ranges are those of the export."""
        if not isinstance(name, str) or not name.isidentifier() or name in symbols:
            return
        least, most = self._limits.get(name, (None, None))
        if (least is not None and value < least) or (most is not None and value > most):
            raise ArtifactError(f"{what} is {value}; the artifact takes {least} to {most or 'any'}")
        symbols[name] = value


def _choose(variants: Sequence[Mapping[str, Any]], target: str | None, path: Path) -> Mapping[str, Any]:
    reasons = []
    for variant in variants:
        if target is not None and variant["target"] != target:
            continue
        reason = why_not(variant["architecture"], variant["features"]) or _why_not_driver(variant["driver"])
        if not reason:
            return variant
        reasons.append(f"{variant['target']}: {reason}")
    if not reasons:
        known = ", ".join(v["target"] for v in variants)
        raise ArtifactError(f"{path} has no variant {target!r}; it has {known}")
    raise ArtifactError(f"{path} does not run on this machine: {'; '.join(reasons)}")


def _why_not_driver(driver: str) -> str:
    """Say why code for an IREE driver cannot be run here; empty when it can."""
    if driver.startswith("local-"):
        return ""
    return f"it needs the driver {driver}, and saved artifacts are run on the CPU only"


def _leaf(
    fact: Mapping[str, Any], values: Sequence[Any], results: Sequence[Any], symbols: Mapping[str, int]
) -> Any:
    if "result" in fact:
        return results[fact["result"]]
    if "input" in fact:
        return values[fact["input"]]
    if "size" in fact:
        return fact["size"] if isinstance(fact["size"], int) else evaluate(fact["size"], symbols)
    return fact["constant"]
