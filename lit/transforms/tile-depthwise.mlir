// RUN: myjit opt --level dispatch --passes tile-depthwise --split-input-file %s | filecheck %s
// RUN: not myjit opt --level dispatch --passes 'tile-depthwise{place=2}' %s 2>&1 | filecheck %s --check-prefix=BAD
// BAD: 'places'

#image = affine_map<(n, y, x, c, i, j) -> (n, y + i, x + j, c)>
#kernel = affine_map<(n, y, x, c, i, j) -> (i, j, c)>
#result = affine_map<(n, y, x, c, i, j) -> (n, y, x, c)>
#same = affine_map<(n, y, x, c) -> (n, y, x, c)>

// A row of seven places, of which IREE takes four, and a kernel of three, of which it takes two.
// CHECK: #config = #iree_cpu.lowering_config<vector_common_parallel = [1, 1, 7, 8]>
// CHECK: #config1 = #iree_cpu.lowering_config<distribution = [0, 1, 7, 16, 0, 0], vector_common_parallel = [1, 1, 7, 8, 0, 0], vector_reduction = [0, 0, 0, 0, 1, 1]>
// CHECK: @seven
// CHECK: linalg.fill {lowering_config = #config}
// CHECK: linalg.generic {{.*}} {lowering_config = #config1}
// CHECK: linalg.generic {{.*}} {lowering_config = #config}
func.func @seven(%image: tensor<1x9x9x16xf32>, %kernel: tensor<3x3x16xf32>, %result: tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<ConvTileAndDecomposeExpert>>} {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill {lowering_config = #iree_cpu.lowering_config<vector_common_parallel = [1, 1, 4, 8]>} ins(%zero : f32) outs(%result : tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf32>
  %1 = linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%image, %kernel : tensor<1x9x9x16xf32>, tensor<3x3x16xf32>) outs(%0 : tensor<1x7x7x16xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [0, 1, 7, 16, 0, 0], vector_common_parallel = [1, 1, 4, 8, 0, 0], vector_reduction = [0, 0, 0, 0, 1, 2]>} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %3 = arith.mulf %x, %y : f32
    %4 = arith.addf %z, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<1x7x7x16xf32>
  %2 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%1 : tensor<1x7x7x16xf32>) outs(%result : tensor<1x7x7x16xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<vector_common_parallel = [1, 1, 4, 8]>} {
  ^bb0(%x: f32, %y: f32):
    %3 = math.absf %x : f32
    linalg.yield %3 : f32
  } -> tensor<1x7x7x16xf32>
  return %2 : tensor<1x7x7x16xf32>
}

// -----

#image = affine_map<(n, y, x, c, i, j) -> (n, y + i, x + j, c)>
#kernel = affine_map<(n, y, x, c, i, j) -> (i, j, c)>
#result = affine_map<(n, y, x, c, i, j) -> (n, y, x, c)>

// Four divide eight.
// CHECK: lowering_config<distribution = [0, 1, 8, 16, 0, 0], vector_common_parallel = [1, 1, 4, 8, 0, 0], vector_reduction = [0, 0, 0, 0, 1, 2]>
// CHECK: @eight
func.func @eight(%image: tensor<1x10x10x16xf32>, %kernel: tensor<3x3x16xf32>, %result: tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<ConvTileAndDecomposeExpert>>} {
  %0 = linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%image, %kernel : tensor<1x10x10x16xf32>, tensor<3x3x16xf32>) outs(%result : tensor<1x8x8x16xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [0, 1, 8, 16, 0, 0], vector_common_parallel = [1, 1, 4, 8, 0, 0], vector_reduction = [0, 0, 0, 0, 1, 2]>} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x8x8x16xf32>
  return %0 : tensor<1x8x8x16xf32>
}
