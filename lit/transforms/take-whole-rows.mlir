// RUN: myjit opt --level dispatch --passes take-whole-rows --split-input-file %s | filecheck %s
// RUN: myjit opt --level dispatch --passes 'take-whole-rows{elements=1024}' --split-input-file %s | filecheck %s --check-prefix=FEW

// Two channels of an image, or a third of one: what is left over takes no vector apart.
// CHECK: lowering_config<distribution = [1, 2, 0], vector_common_parallel = [1, 1, 16]>
// FEW: lowering_config<distribution = [1, 1, 784], vector_common_parallel = [1, 1, 16]>
// CHECK: @images
func.func @images(%x0: tensor<96xf32>, %x1: tensor<8x96x3136xf32>, %s: tensor<8x96x3136xf32>) -> tensor<8x96x3136xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, c, p) -> (c)>, affine_map<(n, c, p) -> (n, c, p)>, affine_map<(n, c, p) -> (n, c, p)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x0, %x1 : tensor<96xf32>, tensor<8x96x3136xf32>) outs(%s : tensor<8x96x3136xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [8, 48, 64], vector_common_parallel = [1, 1, 16]>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x96x3136xf32>
  return %0 : tensor<8x96x3136xf32>
}

// -----

// CHECK: lowering_config<distribution = [0, 0], vector_common_parallel = [1, 16]>
// CHECK: @small
func.func @small(%x0: tensor<64xf32>, %x1: tensor<32x64xf32>, %s: tensor<32x64xf32>) -> tensor<32x64xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x0, %x1 : tensor<64xf32>, tensor<32x64xf32>) outs(%s : tensor<32x64xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [32, 64], vector_common_parallel = [1, 16]>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// -----

// CHECK: lowering_config<distribution = [1, 32, 1024], vector_common_parallel = [1, 1, 16]>
// CHECK: @unknown
func.func @unknown(%x0: tensor<?xf32>, %x1: tensor<?x?x?xf32>, %s: tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, c, p) -> (c)>, affine_map<(n, c, p) -> (n, c, p)>, affine_map<(n, c, p) -> (n, c, p)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x0, %x1 : tensor<?xf32>, tensor<?x?x?xf32>) outs(%s : tensor<?x?x?xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 64, 64], vector_common_parallel = [1, 1, 16]>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// A cube is what serves a tensor that lies across.
// CHECK: lowering_config<distribution = [64, 64], vector_common_parallel = [1, 16]>
// CHECK: @across
func.func @across(%x0: tensor<96x128xf32>, %s: tensor<128x96xf32>) -> tensor<128x96xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x0 : tensor<96x128xf32>) outs(%s : tensor<128x96xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 64], vector_common_parallel = [1, 16]>} {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<128x96xf32>
  return %0 : tensor<128x96xf32>
}
