"""Programs that end torch-mlir or IREE: eager's result all the same, and the process lives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from myjit.errors import FallbackWarning


def bytes_of(*shape: int, dtype: torch.dtype = torch.int8) -> torch.Tensor:
    return torch.randint(0, 5, shape, dtype=dtype)


SMALL = torch.arange(6.0).reshape(2, 3)

#: What crashed the process when FACTS were gathered; some are recognised before they are compiled by now.
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "int8 matmul": (lambda a, b: a @ b, (bytes_of(2, 3), bytes_of(3, 2))),
    "uint8 matmul": (
        lambda a, b: a @ b,
        (bytes_of(2, 3, dtype=torch.uint8),) * 1 + (bytes_of(3, 2, dtype=torch.uint8),),
    ),
    "uint8 and a number": (lambda a: a * 3 + 200, (bytes_of(4, dtype=torch.uint8),)),
    "eye": (lambda a: a + torch.eye(2, 3), (SMALL,)),
    "scatter_add on the last dimension": (
        lambda a, i: a.scatter_add(-1, i, a * 2),
        (SMALL, torch.tensor([[0, 1, 2], [2, 2, 0]])),
    ),
    "multi_dot with an empty operand": (
        lambda a, b, c: torch.linalg.multi_dot([a, b, c]),
        (torch.ones(2, 0), torch.ones(0, 3), torch.ones(3, 2)),
    ),
}


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_known_crasher_gives_eagers_result(name: str):
    function, inputs = PROGRAMS[name]
    run = torch.compile(function, backend="myjit_mlir")
    torch.testing.assert_close(run(*inputs), function(*inputs))


#: Flags that crash IREE's compiler rather than being refused.
FLAGS = [
    ["--iree-hal-target-backends=no-such-backend"],
    ["--iree-hal-target-device=vulkan", "--iree-vulkan-target=vulkan-profile"],
]


@pytest.mark.parametrize("flags", FLAGS, ids=["backend", "vulkan"])
def test_flags_that_end_the_compiler_cost_the_partition(flags: list[str]):
    options = {"iree_flags": flags}
    x = torch.randn(4)
    with pytest.warns(FallbackWarning, match=r"ops of the inference graph run in torch"):
        run = torch.compile(torch.sin, backend="myjit_mlir", options=options)
        torch.testing.assert_close(run(x), x.sin())
