"""What a benchmark says beside its numbers."""

from __future__ import annotations

import warnings

from myjit.errors import FallbackWarning


def only_fallbacks() -> None:
    """Silence all warnings but those of parts that run in torch: their time is not the compiled code's."""
    warnings.simplefilter("ignore")
    warnings.simplefilter("always", FallbackWarning)
