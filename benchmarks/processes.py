"""Measure in a process of its own, which caches in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys


def in_process(module: str, *arguments: str, folder: str, **environment: str) -> dict[str, float]:
    """Run a module with caches in `folder`; return what its last line says, in JSON."""
    caches = {"MYJIT_CACHE_DIR": f"{folder}/m", "TORCHINDUCTOR_CACHE_DIR": f"{folder}/i"}
    command = [sys.executable, "-W", "ignore", "-m", module, *arguments]
    environment = {**os.environ, **caches, **environment}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])
