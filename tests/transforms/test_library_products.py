"""Which products become library calls, and what of their surroundings they take in."""

from __future__ import annotations

import re

import pytest

from myjit.codegen import executable_target, open_session
from myjit.launches import parse_call
from myjit.transforms.library_products import LibraryProducts

FLAGS = ("--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80")
TARGET = executable_target(FLAGS)
MODULE = """
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
module attributes {{myjit.executable_target = {target}}} {{
func.func @main({arguments}) -> {result} {{
  %zero = arith.constant {start} : {sum}
  {before}
  %e = tensor.empty() : tensor<{shape}x{sum}>
  %f = linalg.fill ins(%zero : {sum}) outs(%e : tensor<{shape}x{sum}>) -> tensor<{shape}x{sum}>
  %p = linalg.{op} ins(%a, %b : {left}, {right}) outs(%f : tensor<{shape}x{sum}>) -> tensor<{shape}x{sum}>
  {after}
  return %r : {result}
}}}}"""


def module(op="matmul", left="8x16xf32", right="16x32xf32", shape="8x32", **changes):
    left, right = f"tensor<{left}>", f"tensor<{right}>"
    facts = {
        "op": op,
        "left": left,
        "right": right,
        "shape": shape,
        "sum": "f32",
        "start": "0.0",
        "arguments": f"%a: {left}, %b: {right}",
        "result": f"tensor<{shape}xf32>",
        "before": "",
        "after": "",
        "target": TARGET,
    }
    facts.update(changes)
    if not facts["after"]:
        facts["after"] = f"%r = tensor.cast %p : tensor<{shape}x{facts['sum']}> to {facts['result']}"
    return MODULE.format(**facts)


def calls(text):
    """Run the pass; return the numbers of each call, and the module's text."""
    from iree.compiler import ir

    session = open_session(FLAGS)
    with session.context, ir.Location.unknown():
        parsed = ir.Module.parse(text)
        LibraryProducts().run(parsed)
        parsed.operation.verify()
        printed = str(parsed)
    names = re.findall(r'export_name = "(\w+)"|hal\.dispatch\.extern "(\w+)"', printed)
    found = [parse_call(one or other) for one, other in names]
    return [dict(call[1]) for call in found if call is not None], printed


def test_a_product_of_f32():
    (numbers,), _ = calls(module())
    assert numbers == {
        "batch": 1,
        "m": 8,
        "n": 32,
        "k": 16,
        "ta": 0,
        "tb": 0,
        "factors": 0,
        "result": 0,
        "bias": 0,
    }


def test_products_of_batches():
    text = module("batch_matmul", "6x8x16xf32", "6x16x32xf32", "6x8x32")
    (numbers,), _ = calls(text)
    assert (numbers["batch"], numbers["m"], numbers["n"], numbers["k"]) == (6, 8, 32, 16)


def test_a_transpose_goes_into_the_call():
    before = """%t = tensor.empty() : tensor<16x32xf32>
  %b = linalg.transpose ins(%w : tensor<32x16xf32>) outs(%t : tensor<16x32xf32>) permutation = [1, 0]"""
    text = module(arguments="%a: tensor<8x16xf32>, %w: tensor<32x16xf32>", before=before)
    (numbers,), printed = calls(text)
    assert (numbers["ta"], numbers["tb"]) == (0, 1)
    assert re.search(r"dispatch\.extern\W+(\"\w+\")?\W*\(%arg0, %arg1\)", printed)


@pytest.mark.parametrize("half", ["f16", "bf16"])
def test_the_sum_of_half_types_is_rounded_in_the_call(half):
    after = f"""%h = tensor.empty() : tensor<8x32x{half}>
  %r = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%p : tensor<8x32xf32>) outs(%h : tensor<8x32x{half}>) {{
  ^bb0(%x: f32, %o: {half}):
    %1 = arith.truncf %x : f32 to {half}
    linalg.yield %1 : {half}
  }} -> tensor<8x32x{half}>"""
    text = module(left=f"8x16x{half}", right=f"16x32x{half}", after=after, result=f"tensor<8x32x{half}>")
    (numbers,), _ = calls(text)
    assert numbers["factors"] == numbers["result"] == {"f16": 1, "bf16": 2}[half]


def test_a_bias_goes_into_the_call():
    after = """%r = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<8x32xf32>, tensor<32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %1 = arith.addf %x, %y : f32
    linalg.yield %1 : f32
  } -> tensor<8x32xf32>"""
    arguments = "%a: tensor<8x16xf32>, %b: tensor<16x32xf32>, %c: tensor<32xf32>"
    (numbers,), _ = calls(module(arguments=arguments, after=after))
    assert numbers["bias"] == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"start": "1.0"},
        {"left": "?x16xf32", "shape": "8x32"},
        {"left": "8x16xf64", "right": "16x32xf64", "sum": "f64", "result": "tensor<8x32xf64>"},
        {"target": '"none"', "skip": True},
    ],
    ids=["not from zero", "dynamic", "f64", "no target"],
)
def test_other_products_stay(changes):
    skip = changes.pop("skip", False)
    text = module(**changes)
    if skip:
        text = text.replace('attributes {myjit.executable_target = "none"} ', "")
    found, printed = calls(text)
    assert found == []
    assert "linalg.matmul" in printed
