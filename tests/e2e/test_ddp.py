"""Two processes train one model through DistributedDataParallel, and get what one gets with all the data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("kind", ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def test_training_equals_eager_on_all_data(kind):
    if not torch.distributed.is_available():
        pytest.skip("this torch is built without torch.distributed")
    if kind == "cuda" and torch.cuda.device_count() < 2:
        pytest.skip("needs two CUDA devices")
    script = Path(__file__).with_name("ddp_training.py")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))),
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [*command, str(script), kind],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
