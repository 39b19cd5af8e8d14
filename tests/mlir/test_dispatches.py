"""Reading a dispatch's configuration, and writing it back."""

from __future__ import annotations

from myjit.mlir.context import new_iree_context, parse
from myjit.mlir.dispatches import dispatches

TEXT = """
func.func @f(%a: tensor<4x16xf32>, %s: tensor<4xf32>) -> tensor<4xf32>
    attributes {translation_info =
      #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x16xf32>) outs(%s : tensor<4xf32>)
    attrs = {CONFIG} {
  ^bb0(%x: f32, %y: f32):
    %1 = arith.addf %x, %y : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
CONFIG = "lowering_config = #iree_cpu.lowering_config<distribution = [4, 0], vector_reduction = [0, 8]>"


def test_loops_and_tiles_are_read_and_written():
    module = parse(TEXT.replace("CONFIG", CONFIG), new_iree_context())
    with module.context:
        ((tiled,),) = dispatches(module, "DoubleTilingExpert")
        assert tiled.tiles == {"distribution": [4, 0], "vector_reduction": [0, 8]}
        assert tiled.iterators == ["parallel", "reduction"]
        assert tiled.extents() == [4, 16]
        assert tiled.inner_loops() == [1, 0]
        assert tiled.element_types() == ["f32", "f32"]
        tiled.tiles["vector_reduction"][1] = 16
        tiled.write()
    assert "distribution = [4, 0], vector_reduction = [0, 16]>" in str(module)


def test_other_pipelines_and_operations_without_tiles_are_left_out():
    module = parse(TEXT.replace("CONFIG", ""), new_iree_context())
    with module.context:
        assert not list(dispatches(module, "DoubleTilingExpert"))
    module = parse(TEXT.replace("CONFIG", CONFIG), new_iree_context())
    with module.context:
        assert not list(dispatches(module, "ConvTileAndDecomposeExpert"))
