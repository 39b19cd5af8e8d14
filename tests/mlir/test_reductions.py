"""Reading what linalg operations reduce, and leaving out what nobody reads of it."""

from __future__ import annotations

from myjit.mlir.context import new_iree_context, parse
from myjit.mlir.operations import operations
from myjit.mlir.reductions import Reduction, with_one_result

TEXT = """
func.func @f(%a: tensor<8x16xf32>, %from: tensor<8xf32>) -> tensor<8xf32> {{
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %0 = tensor.empty() : tensor<8xf32>
  %1 = linalg.fill ins(%least : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %2 = tensor.empty() : tensor<8xi64>
  %3 = linalg.fill ins(%none : i64) outs(%2 : tensor<8xi64>) -> tensor<8xi64>
  %4:2 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> ({place})>, affine_map<(i, j) -> (i)>,
    affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}}
    ins(%a : tensor<8x16xf32>) outs({start}, %3 : tensor<8xf32>, tensor<8xi64>) {{
  ^bb0(%x: f32, %most: f32, %where: i64):
    %index = linalg.index 1 : index
    %here = arith.index_cast %index : index to i64
    %next = arith.maximumf %x, %most : f32
    %more = arith.cmpf ogt, %x, %most : f32
    %there = arith.select %more, %here, %where : i64
    linalg.yield %next, %there : f32, i64
  }} -> (tensor<8xf32>, tensor<8xi64>)
  {and_more}
  return %4#0 : tensor<8xf32>
}}"""


def read(text: str = TEXT, *, place: str = "i, j", start: str = "%1", and_more: str = ""):
    module = parse(text.format(place=place, start=start, and_more=and_more), new_iree_context())
    with module.context:
        (found,) = [op for op in operations(module.operation) if op.name == "linalg.generic"]
        op = with_one_result(found)
        module.operation.verify()
        return module, Reduction.of(op), len(op.results)


def test_places_that_nobody_asks_for_are_left_out():
    _module, reduction, results = read()
    assert results == 1
    assert (reduction.combiner.name, reduction.reduced) == ("arith.maximumf", [1])
    assert (reduction.length, reduction.results, reduction.in_columns) == (16, 8, False)


def test_places_that_are_read_stay():
    _module, reduction, results = read(and_more="%5 = arith.addi %4#1, %3 : tensor<8xi64>")
    assert (reduction, results) == (None, 2)


def test_windows_are_no_plain_reductions():
    window = "i + j)>, affine_map<(i, j) -> (j"
    text = TEXT.replace("ins(%a : tensor<8x16xf32>)", "ins(%a, %w : tensor<23xf32>, tensor<16xf32>)")
    text = text.replace("%a: tensor<8x16xf32>", "%a: tensor<23xf32>, %w: tensor<16xf32>")
    text = text.replace("^bb0(%x: f32,", "^bb0(%x: f32, %width: f32,")
    _module, reduction, results = read(text, place=window)
    assert (reduction, results) == (None, 2)


def test_what_does_not_start_from_a_constant_has_no_parts():
    _module, reduction, results = read(start="%from")
    assert (reduction, results) == (None, 1)
