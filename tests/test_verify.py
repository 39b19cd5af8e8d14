"""verify=True finds a wrong partition, names its ops, and says what it did about it."""

from __future__ import annotations

import pytest
import torch

from myjit.errors import FallbackWarning, VerificationError
from myjit.runtime.executable import Executable
from myjit.verify import first_difference


@pytest.fixture
def wrong_results(monkeypatch):
    """Make every compiled partition add one to its first result."""
    original = Executable.__init__

    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        call = self.call
        self.call = lambda arguments: [call(arguments)[0] + 1]

    monkeypatch.setattr(Executable, "__init__", init)


@pytest.mark.usefixtures("wrong_results")
def test_a_mismatch_raises_where_fallback_is_an_error(compiled):
    with pytest.raises(VerificationError, match=r"aten\.exp\.default.*differs from eager.*by up to 1"):
        compiled(lambda x: x.exp(), verify=True)(torch.zeros(4))


@pytest.mark.usefixtures("wrong_results")
def test_a_mismatch_falls_back_with_a_warning():
    run = torch.compile(lambda x: x.exp(), backend="myjit_mlir", options={"verify": True})
    x = torch.randn(4)
    with pytest.warns(FallbackWarning, match=r"aten\.exp\.default.*differs from eager"):
        torch.testing.assert_close(run(x), x.exp())
    torch.testing.assert_close(run(x), x.exp())


@pytest.mark.usefixtures("wrong_results")
def test_without_verify_nothing_is_compared(compiled):
    assert torch.equal(compiled(lambda x: x.exp())(torch.zeros(4)), torch.full((4,), 2.0))


@pytest.mark.parametrize(
    ("got", "want", "said"),
    [
        (torch.zeros(3), torch.zeros(4), r"\(3,\), eager gives torch.float32 \(4,\)"),
        (torch.zeros(3), torch.zeros(3).double(), "eager gives torch.float64"),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), "differs by up to 1"),
        (torch.tensor([1.0]), torch.tensor([float("nan")]), "differs"),
    ],
)
def test_first_difference(got, want, said):
    import re

    assert re.search(said, first_difference([got], [want]))


def test_rounding_is_no_difference():
    want = torch.randn(50) * 1000
    assert first_difference([want * (1 + 1e-6)], [want]) == ""
