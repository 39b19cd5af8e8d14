"""The bytes of torch tensors, in the order of their elements."""

from __future__ import annotations

import torch

from myjit.safetensors import Weight


def flat_bytes(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor's elements as bytes, `[count * element_size]` uint8 on the CPU, in row-major order."""
    plain = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    # A contiguous tensor may have any stride where its size is 1, and keeps it through `flatten`.
    return torch.as_strided(plain, (plain.numel(),), (1,)).view(torch.uint8)


def tensor_weight(tensor: torch.Tensor) -> Weight:
    """Return what an artifact stores of a tensor."""
    data = flat_bytes(tensor).numpy() if tensor.numel() else b""
    return Weight(str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), data)
