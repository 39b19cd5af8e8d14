"""What each process of test_ddp.py runs: train through DistributedDataParallel, compare with eager.

Run by torchrun, with the device type. Compiled is the model inside, and then the whole.
"""

from __future__ import annotations

import copy
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import myjit


class Net(nn.Module):
    """A model with a forward of its own: Dynamo leaves alone those of torch.nn that DDP calls."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(16, 64), nn.LayerNorm(64), nn.Linear(64, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.norm(nn.functional.gelu(self.first(x))))


def main() -> None:
    kind = sys.argv[1]
    rank = int(os.environ["RANK"])
    device = torch.device(kind, rank) if kind == "cuda" else torch.device(kind)
    if kind == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if kind == "cuda" else "gloo")
    for compiled in ("model", "whole"):
        train(rank, device, compiled)
    dist.destroy_process_group()


def train(rank: int, device: torch.device, compiled: str) -> None:
    torch.manual_seed(0)
    model = Net().to(device)
    reference = copy.deepcopy(model)
    data, labels = torch.randn(3, 32, 16, device=device), torch.randint(0, 3, (3, 32), device=device)
    options = {"fallback": "error", "placement": "compiled"}

    def compile_it(module: nn.Module) -> nn.Module:
        return torch.compile(module, backend="myjit_mlir", options=options)  # type: ignore[return-value]

    ids = [rank] if device.type == "cuda" else None
    inner = compile_it(model) if compiled == "model" else model
    wrapped = DistributedDataParallel(inner, device_ids=ids)
    run = wrapped if compiled == "model" else compile_it(wrapped)
    optimizers = [torch.optim.SGD(m.parameters(), 0.1) for m in (model, reference)]
    half = slice(16 * rank, 16 * rank + 16)
    for x, y in zip(data, labels, strict=True):
        for optimizer, module, part in zip(optimizers, (run, reference), (half, slice(None)), strict=True):
            optimizer.zero_grad()
            nn.functional.cross_entropy(module(x[part]), y[part]).backward()
            optimizer.step()
    for got, want in zip(model.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-5)
    assert myjit.stats()["ops_compiled"] > 0
    myjit.reset()
    torch._dynamo.reset()  # or else what was compiled for one way serves the other


if __name__ == "__main__":
    main()
