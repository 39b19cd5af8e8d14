"""Saved programs and models: loaded, they give eager's results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import Dim
from torch.utils import _pytree as pytree

import myjit
from myjit.errors import UnsupportedGraphError
from myjit.runtime import standalone
from tests.e2e.models import MODELS


class Weights(nn.Module):
    """What the programs below use: weights of several types and sizes."""

    def __init__(self, program: Callable[..., Any]) -> None:
        super().__init__()
        self.program = program
        self.w = nn.Parameter(torch.randn(3))
        self.none = nn.Parameter(torch.zeros(0, 3))
        self.register_buffer("sixteen", torch.randn(3).half())
        self.register_buffer("brain", torch.randn(3).bfloat16())

    def forward(self, *args: Any) -> Any:
        return self.program(self, *args)


X = torch.randn(4, 3)
ROWS = {0: Dim("rows")}
#: Program, example, dynamic shapes, and what to call it with.
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], Any, list[tuple[Any, ...]]]] = {
    "no arguments": (lambda s: s.w * 2, (), None, [()]),
    "a dynamic number": (lambda s, x, n: x * n + n, (X, 3), (None, Dim.DYNAMIC), [(X, 5), (X, 7)]),
    "a constant number": (lambda s, x, f: x * f, (X, 2.5), None, [(X, 2.5)]),
    "an empty weight": (lambda s, x: torch.cat([s.none, x]), (X,), None, [(X,)]),
    "small floats": (lambda s, x: (x.half() * s.sixteen, x.bfloat16() + s.brain), (X,), None, [(X,)]),
    "a result twice, and a view of it": (
        lambda s, x: (x * s.w, x * s.w, (x * s.w).view(-1)),
        (X,),
        (ROWS,),
        [(torch.randn(6, 3),), (X,)],
    ),
    "other types": (lambda s, x: (x > 0, (x > 0).sum(), x.double()), (X,), None, [(X,)]),
    "one row": (lambda s, x: (x[:, :2] * 1.0, x[-1].exp()), (X,), (ROWS,), [(torch.randn(1, 3),)]),
    "strides": (lambda s, x: x.relu() * 2, (X.T,), None, [(X.T,), (torch.randn(3, 4),)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_equals_eager_with_torch_and_without(name: str, tmp_path: Path):
    program, example, shapes, calls = PROGRAMS[name]
    model = Weights(program).eval()
    path = tmp_path / "model.myjit"
    myjit.export(model, example, path=path, dynamic_shapes=(shapes,) if shapes else None)
    loaded, bare = myjit.load(path), standalone.load(path)
    for call in calls:
        with torch.no_grad():
            expected = model(*call)
        torch.testing.assert_close(loaded(*call), expected)
        arrays = pytree.tree_map(lambda v: v.numpy() if isinstance(v, torch.Tensor) else v, call)
        for got, want in zip(pytree.tree_leaves(bare(*arrays)), pytree.tree_leaves(expected), strict=True):
            if want.dtype != torch.bfloat16:  # which numpy lacks: these are bits
                np.testing.assert_allclose(got, want.numpy(), rtol=1e-5, atol=1e-6)
            assert got.shape == tuple(want.shape)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (lambda s, x: x.add_(1), "writes into its argument"),
        (lambda s, x: (x * 2, s.w), "returns its own weight 'w'"),
        (lambda s, x: x, "computes nothing"),
    ],
    ids=["argument", "weight", "nothing"],
)
def test_what_no_artifact_can_hold_is_refused(program: Callable[..., Any], said: str, tmp_path: Path):
    with pytest.raises(UnsupportedGraphError, match=said):
        myjit.export(Weights(program), (X,), path=tmp_path / "model.myjit")


#: One of each kind: test_inference.py compiles all of them.
SAVED = ("resnet18", "vit-tiny", "bert", "gpt2", "t5", "whisper-tiny", "lstm", "gru", "unet")


@pytest.mark.slow
@pytest.mark.parametrize("name", SAVED)
def test_a_saved_model_equals_eager(name: str, tmp_path: Path):
    model, args, kwargs = MODELS[name]()
    model.eval()
    path = myjit.export(model, args, kwargs, path=tmp_path / "model.myjit")
    results = pytree.tree_leaves(myjit.load(path)(*args, **kwargs))
    with torch.no_grad():
        expected = pytree.tree_leaves(model(*args, **kwargs))
    assert len(results) == len(expected)
    for got, want in zip(results, expected, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4)
