"""What a processor has is read from LLVM's names of its features, and from Linux's."""

from __future__ import annotations

import pytest

from myjit.mlir.panels import Registers, registers_of


@pytest.mark.parametrize(
    "names",
    [
        {"avx512f", "avx512bf16", "amx-bf16"},
        {"avx512f", "avx512_bf16", "amx_bf16"},
        {"avx512f", "avx512bf16", "amxbf16"},
    ],
    ids=["LLVM", "Linux", "own_features"],
)
def test_names_of_features(names):
    assert registers_of(names) == Registers(16, 32, halves=True, tiles=True)


def test_processors_without_matrices():
    assert registers_of({"avx512f", "avx512bf16"}) == Registers(16, 32, halves=True)
    assert registers_of({"avx2", "fma"}) == Registers(8, 16)
    assert registers_of({"avx2"}) is None
