"""What the pipeline `fused` finds in well-known models: every attention, norm and activation."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

_FILE = Path(__file__).resolve().parents[2] / "benchmarks" / "raised.py"
_spec = importlib.util.spec_from_file_location("benchmarks_raised", _FILE)
assert _spec is not None
assert _spec.loader is not None
raised = importlib.util.module_from_spec(_spec)
sys.modules["benchmarks_raised"] = raised  # dataclasses look their module up
_spec.loader.exec_module(raised)

# By hand from the models' code, two layers each (T5: two in the encoder, two in the decoder, which
# attends twice).
IN_EACH = {
    "BERT": {"masked_attention": 2, "layer_norm": 5, "gelu": 2},
    "GPT-2": {"masked_attention": 2, "layer_norm": 5, "gelu": 2},
    "Llama": {"masked_attention": 2, "rms_norm": 5, "silu": 2, "rope": 4},
    "T5": {"masked_attention": 6, "rms_norm": 12, "gelu": 4},
    "ViT": {"attention": 2, "layer_norm": 5, "gelu": 2},
}


# By hand, attention is written in three ways: as in BERT, with shared heads, with a bias that is learned.
@pytest.mark.parametrize(
    ("name", "attention"),
    [*((name, "sdpa") for name in raised.MODELS), *((name, "eager") for name in ("BERT", "Llama", "T5"))],
)
def test_everything_is_found_and_the_result_is_eagers(name: str, attention: str):
    found = raised.find(name, attention)
    assert dict(found.operations) == IN_EACH[name]
    assert found.difference < 1e-5
