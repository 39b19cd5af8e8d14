"""Ops by themselves, of some hundred thousand to a million numbers: what is to be no slower than in eager."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

Case = tuple[Any, tuple[Any, ...]]
_IMAGE, _ROWS, _TOKENS = (1, 64, 56, 56), (1024, 1024), (8, 197, 384)


def of(function: Callable[..., Any], *shapes: tuple[int, ...]) -> Callable[[], Case]:
    return lambda: (function, tuple(torch.randn(shape) for shape in shapes))


def _with(
    function: Callable[..., Any], shape: tuple[int, ...], places: tuple[int, ...], most: int, *more: Any
) -> Callable[[], Case]:
    """Build a case of a tensor, of places in it, and of further tensors."""
    return lambda: (function, (torch.randn(shape), torch.randint(0, most, places), *map(torch.randn, more)))


def _rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


def _merged(x: torch.Tensor) -> torch.Tensor:
    """Lay four pixels side by side, as Swin does between its stages."""
    return torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)


COPIES: dict[str, Callable[[], Case]] = {
    "pad": of(lambda x: F.pad(x, (1, 1, 1, 1)), _IMAGE),
    "pad by reflection": of(lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"), _IMAGE),
    "pad by repetition": of(lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"), _IMAGE),
    "pad rows": of(lambda x: F.pad(x, (0, 24)), _ROWS),
    "pad tokens": of(lambda x: F.pad(x, (0, 0, 0, 3)), _TOKENS),
    "cat": of(lambda x, y: torch.cat([x, y]), _ROWS, _ROWS),
    "cat rows": of(lambda x, y: torch.cat([x, y], 1), _ROWS, _ROWS),
    "cat channels": of(lambda x, y: torch.cat([x, y], 1), _IMAGE, _IMAGE),
    "cat channels + ReLU": of(lambda x, y: F.relu(torch.cat([x, y], 1)), _IMAGE, _IMAGE),
    "cat of computed": of(lambda x, y: torch.cat([x * 2, y + 1], 1), _IMAGE, _IMAGE),
    "cat of keys": of(lambda x, y: torch.cat([x, y], 2), (1, 8, 255, 64), (1, 8, 1, 64)),
    "stack": of(lambda x, y: torch.stack([x, y], -1), _ROWS, _ROWS),
    "roll": of(lambda x: x.roll(3, -1), _ROWS),
    "roll windows": of(lambda x: x.roll((3, 3), (1, 2)), (8, 56, 56, 96)),
    "windows": of(lambda x: x.view(8, 7, 8, 7, 96).transpose(1, 2).contiguous(), (56, 56, 96)),
    "merge patches": of(_merged, (1, 56, 56, 96)),
    "heads": of(lambda x: x.view(4, 128, 8, 64).transpose(1, 2).contiguous(), (4, 128, 512)),
    "to channels last": of(lambda x: x.permute(0, 2, 3, 1).contiguous(), _IMAGE),
    "transpose": of(lambda x: x.t().contiguous(), _ROWS),
    "repeat": of(lambda x: x.repeat(2, 2), _ROWS),
    "repeat elements": of(lambda x: x.repeat_interleave(4, 1), (4, 8, 128, 64)),
    "flip": of(lambda x: x.flip(-1), _ROWS),
    "every other column + 1": of(lambda x: x[:, ::2] + 1, _ROWS),
    "rotary embedding": of(_rotated, (1, 8, 256, 64), (256, 32), (256, 32)),
    "write into a slice": of(lambda x, y: x.slice_scatter(y, 1, 3, 60), (64, 100, 64), (64, 57, 64)),
    "shuffle pixels": of(lambda x: F.pixel_shuffle(x, 2), _IMAGE),
    "patches": of(lambda x: F.unfold(x, 3), (1, 32, 56, 56)),
}
PLACES: dict[str, Callable[[], Case]] = {
    "rows by place": _with(lambda x, i: x[i], _ROWS, (512,), 1024),
    "gather": _with(lambda x, i: x.gather(1, i), _ROWS, (1024, 256), 1024),
    "columns by place": _with(lambda x, i: x.index_select(1, i), _ROWS, (512,), 1024),
    "scatter": _with(lambda x, i, y: x.scatter(1, i, y), _ROWS, (1024, 256), 1024, (1024, 256)),
    "scatter and add": _with(lambda x, i, y: x.scatter_add(1, i, y), _ROWS, (1024, 256), 1024, (1024, 256)),
    "add rows by place": _with(lambda x, i, y: x.index_add(0, i, y), _ROWS, (512,), 1024, (512, 1024)),
    "one hot": _with(lambda x, i: F.one_hot(i, 100), (1,), (8192,), 100),
    "mask": of(lambda x: x.masked_fill(x > 0, 0.0), _ROWS),
    "lower triangle": of(lambda x: x.tril(), _ROWS),
}
REDUCTIONS: dict[str, Callable[[], Case]] = {
    "argmax of rows": of(lambda x: x.argmax(-1), _ROWS),
    "argmax of columns": of(lambda x: x.argmax(0), _ROWS),
    "argmax of a vocabulary": of(lambda x: x.argmax(-1), (1, 32000)),
    "max of rows, with places": of(lambda x: x.max(-1), _ROWS),
    "any of rows": of(lambda x: (x > 3).any(-1), _ROWS),
    "any": of(lambda x: (x > 9).any(), _ROWS),
    "sum": of(lambda x: x.sum(), _ROWS),
    "mean of rows": of(lambda x: x.mean(-1), _ROWS),
    "variance of rows": of(lambda x: x.var(-1), _ROWS),
    "norm of rows": of(lambda x: x.norm(dim=-1), _ROWS),
    "logsumexp of rows": of(lambda x: x.logsumexp(-1), _ROWS),
    "cumsum of rows": of(lambda x: x.cumsum(-1), _ROWS),
    "cumsum of columns": of(lambda x: x.cumsum(0), _ROWS),
    "cosine similarity": of(F.cosine_similarity, _ROWS, _ROWS),
    "mean squared error": of(F.mse_loss, _ROWS, _ROWS),
    "max pooling": of(lambda x: F.max_pool2d(x, 3, 2, 1), (4, 64, 56, 56)),
    "average pooling": of(lambda x: F.avg_pool2d(x, 2), (4, 64, 56, 56)),
    "average of images": of(lambda x: F.adaptive_avg_pool2d(x, 1), (4, 64, 56, 56)),
    "group norm": of(lambda x: F.group_norm(x, 8), (4, 64, 56, 56)),
}
POINTWISE: dict[str, Callable[[], Case]] = {
    "add": of(lambda x, y: x + y, _ROWS, _ROWS),
    "ReLU": of(lambda x: x.relu(), _ROWS),
    "divide": of(lambda x, y: x / (y + 9), _ROWS, _ROWS),
    "clamp": of(lambda x: x.clamp(-1, 1), _ROWS),
    "exp": of(lambda x: x.exp(), _ROWS),
    "log": of(lambda x: x.abs().log(), _ROWS),
    "sin": of(lambda x: x.sin(), _ROWS),
    "tanh": of(lambda x: x.tanh(), _ROWS),
    "erf": of(lambda x: x.erf(), _ROWS),
    "SiLU": of(F.silu, _ROWS),
    "power": of(lambda x: x.abs() ** 1.3, _ROWS),
    "remainder": of(lambda x: x % 0.7, _ROWS),
    "to float16": of(lambda x: x.half(), _ROWS),
    "to int32": of(lambda x: x.int(), _ROWS),
    "outer product": of(lambda x, y: x[:, None] * y, (1024,), (1024,)),
    "upsample": of(lambda x: F.interpolate(x, scale_factor=2), _IMAGE),
    "upsample, bilinear": of(lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), _IMAGE),
}
CONVOLUTIONS: dict[str, Callable[[], Case]] = {
    "conv 1×1, 256→1024, 14²": of(F.conv2d, (1, 256, 14, 14), (1024, 256, 1, 1)),
    "conv 1×1, 1024→256, 14²": of(F.conv2d, (1, 1024, 14, 14), (256, 1024, 1, 1)),
    "conv 1×1, 512→2048, 7²": of(F.conv2d, (1, 512, 7, 7), (2048, 512, 1, 1)),
    "conv 3×3, 256 ch, 14²": of(lambda x, w: F.conv2d(x, w, padding=1), (1, 256, 14, 14), (256, 256, 3, 3)),
    "conv 3×3, 32 groups, 14²": of(
        lambda x, w: F.conv2d(x, w, padding=1, groups=32), (1, 512, 14, 14), (512, 16, 3, 3)
    ),
    "conv 7×7 stride 2, 3→64, 224²": of(
        lambda x, w: F.conv2d(x, w, stride=2, padding=3), (1, 3, 224, 224), (64, 3, 7, 7)
    ),
}
OPS = COPIES | PLACES | REDUCTIONS | POINTWISE | CONVOLUTIONS
