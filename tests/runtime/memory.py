"""What memory the process has."""

from __future__ import annotations

import os
from pathlib import Path


def resident() -> int:
    """Return the bytes of the process's pages that lie in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
