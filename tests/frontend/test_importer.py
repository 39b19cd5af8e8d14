"""What importing a part does to the process."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import logging, torch
options = {"fallback": "error", "cache": False}
torch.compile(torch.exp, backend="myjit_mlir", options=options)(torch.randn(3))
print(logging.getLogger().handlers)
"""


def test_the_root_logger_is_left_to_the_user():
    """`logging.basicConfig` does nothing where it has a handler."""
    run = subprocess.run([sys.executable, "-c", PROGRAM], check=False, capture_output=True, text=True)
    assert run.stdout == "[]\n", run.stderr
