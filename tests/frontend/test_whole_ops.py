"""Attention is one op in Dynamo's graph while it is traced, and is taken apart in its part only."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.fx import symbolic_trace
from torch.fx.experimental.proxy_tensor import make_fx

from myjit.frontend.attention import ATTENTION, attention_kept
from myjit.frontend.extract import extract
from myjit.frontend.whole_ops import take_others_apart, taken_apart
from myjit.pipelines.cuda import PIPELINE


def example(dtype=torch.float32):
    return [torch.randn(2, 4, n, 16, dtype=dtype) for n in (9, 12, 12)]


def targets(gm):
    return [n.target for n in gm.graph.nodes if n.op == "call_function"]


def test_attention_is_taken_apart_in_its_part_only():
    given = example()
    gm = make_fx(lambda q, k, v: ATTENTION(q, k, v, None, True, None, False).relu(), tracing_mode="fake")(
        *given
    )
    take_others_apart(gm, PIPELINE, ())
    assert targets(gm).count(ATTENTION) == 1
    nodes = [n for n in gm.graph.nodes if n.op == "call_function"]
    part = taken_apart(extract(gm, nodes), PIPELINE)
    assert ATTENTION not in targets(part.module)
    (actual,) = part.module(*given)
    expected = F.scaled_dot_product_attention(*given, is_causal=True).relu()
    torch.testing.assert_close(actual, expected)


def test_dynamos_graph_is_as_it_was_afterwards():
    given = example()
    gm = symbolic_trace(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3))
    for node, value in zip(gm.graph.find_nodes(op="placeholder"), given, strict=True):
        node.meta["example_value"] = value
    with torch.no_grad(), attention_kept(gm):
        assert targets(gm) == [ATTENTION]
        torch.testing.assert_close(gm(*given), F.scaled_dot_product_attention(*given, scale=0.3))
    assert targets(gm) == [F.scaled_dot_product_attention]
    with torch.enable_grad(), attention_kept(gm):
        assert ATTENTION not in targets(gm)


def test_what_autocast_casts_is_left():
    run = torch.compile(F.scaled_dot_product_attention, backend=_seen, fullgraph=True)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        assert run(*example()).dtype == torch.bfloat16
        assert run(*example(torch.bfloat16)).dtype == torch.bfloat16


def _seen(gm, inputs):
    """Compile as eager, with what is kept: float32 is not, under autocast."""
    with attention_kept(gm):
        kept = ATTENTION in targets(gm)
    assert kept == (inputs[0].dtype == torch.bfloat16)
    return gm.forward


def test_dropout_and_other_ranks_are_left():
    gm = symbolic_trace(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, dropout_p=0.5))
    for node, value in zip(gm.graph.find_nodes(op="placeholder"), example(), strict=True):
        node.meta["example_value"] = value
    with torch.no_grad(), attention_kept(gm):
        assert ATTENTION not in targets(gm)
