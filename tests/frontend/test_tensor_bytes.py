import pytest
import torch

from myjit.frontend.tensor_bytes import flat_bytes, tensor_weight

TENSORS = {
    "plain": torch.arange(6).view(2, 3),
    "transposed": torch.arange(6).view(2, 3).T,
    "of one element, whose stride is not 1": torch.randn(3, 6)[:1, 2],
    "of one column, whose stride is not 1": torch.as_strided(torch.arange(6), (6, 1), (1, 6)),
    "a part": torch.arange(12, dtype=torch.bfloat16)[3:7],
    "negative": torch.tensor([1 + 2j, 3 - 4j]).conj().imag,
    "empty": torch.empty(0, 3),
}


@pytest.mark.parametrize("name", TENSORS)
def test_bytes_are_those_of_the_elements_in_order(name):
    tensor = TENSORS[name]
    found = flat_bytes(tensor)
    assert found.dtype == torch.uint8 and found.shape == (tensor.numel() * tensor.itemsize,)
    assert torch.equal(found.clone().view(tensor.dtype).view(tensor.shape), tensor)
    weight = tensor_weight(tensor)
    assert (weight.shape, bytes(weight.data)) == (tuple(tensor.shape), bytes(found.tolist()))
    assert f"torch.{weight.dtype}" == str(tensor.dtype)
