"""Apply patterns written in the PDL dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.rewriting import apply_pdl
from myjit.passes.base import Pass
from myjit.passes.text_source import read_source


@dataclass(frozen=True)
class ApplyPdl(Pass):
    """Apply the PDL patterns of a text or a file; the file's text becomes part of the pass."""

    text: str = ""
    file: str = ""

    def __post_init__(self) -> None:
        read_source(self)

    def run(self, module: Any) -> None:
        """Rewrite the module in place."""
        if self.text:
            apply_pdl(module, self.text)
