"""What compiling a part came to, in the form that a cache keeps: the artifact, or the refusal.

Refusals are kept because the plan of a graph follows from them: a process that starts the same model
again tries the same parts, is refused the same ones, and asks no compiler about any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from myjit import errors
from myjit.artifact import Artifact, Signature
from myjit.cache import DiskCache, Entry
from myjit.cache_key import CacheKey
from myjit.errors import CompileError, Diagnostic, WorkerCrashError
from myjit.frontend.extract import Extract
from myjit.frontend.nodes import op_name, source_line

_REFUSALS = (
    errors.GraphImportError,
    errors.PassError,
    errors.ContractError,
    errors.CodegenError,
    errors.WorkerCrashError,
)


class Outcomes:
    """The cache's place for one part. Without a cache or a key it remembers nothing."""

    def __init__(self, cache: DiskCache | None, key: CacheKey | None, part: Extract) -> None:
        self._cache = cache if key is not None else None
        self._key = key
        self._part = part

    def recall(self) -> Artifact | None:
        """Return the artifact of a part that was compiled before, or None where it was not.

        Raises:
            CompileError: the compiler refused the part before.
        """
        entry = self._get(self._key)
        if entry is None:
            return None
        if "refusal" in entry.facts:
            raise _refusal(entry.facts["refusal"], self._part)
        module = self._get(CacheKey(tuple((name, value) for name, value in entry.facts["module"])))
        if module is None:
            return None
        return Artifact(module.payload, Signature.from_json(entry.facts["signature"]))

    def accept(self, module: CacheKey | None, signature: Signature) -> None:
        """Remember that the part compiled to the code under `module`."""
        if module is not None:
            self._put({"module": module.parts, "signature": signature.to_json()})

    def refuse(self, error: CompileError) -> None:
        """Remember that the compiler refuses the part, unless another time it might not."""
        if type(error) not in _REFUSALS or (isinstance(error, WorkerCrashError) and not error.repeats):
            return
        numbers = {n.name: i for i, n in enumerate(self._part.module.graph.nodes)}
        diagnostics = [
            {
                "severity": d.severity,
                "message": d.message,
                "nodes": [numbers[n] for n in d.nodes if n in numbers],
                "source": d.source,
            }
            for d in error.diagnostics
        ]
        facts = {"error": type(error).__name__, "message": str(error.args[0]), "stage": error.stage}
        self._put({"refusal": {**facts, "diagnostics": diagnostics}})

    def _get(self, key: CacheKey | None) -> Entry | None:
        return self._cache.get(key) if self._cache is not None and key is not None else None

    def _put(self, facts: dict[str, Any]) -> None:
        if self._cache is not None and self._key is not None:
            ops = Counter(op_name(n) for n in self._part.module.graph.nodes if n.op == "call_function")
            summary = ", ".join(f"{name} ×{count}" for name, count in ops.most_common(8))
            self._cache.put(Entry(self._key, {"kind": "part", "ops": summary, **facts}))


def _refusal(data: Mapping[str, Any], part: Extract) -> CompileError:
    """Make the error again; it names this part's nodes and the places where they are written now."""
    nodes = list(part.module.graph.nodes)
    diagnostics = tuple(
        Diagnostic(
            d["severity"],
            d["message"],
            tuple(nodes[i].name for i in d["nodes"]),
            source_line(nodes[d["nodes"][0]]) if d["nodes"] else d["source"],
        )
        for d in data["diagnostics"]
    )
    kind = next(k for k in _REFUSALS if k.__name__ == data["error"])
    return kind(data["message"], stage=data["stage"], diagnostics=diagnostics)
