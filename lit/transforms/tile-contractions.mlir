// RUN: myjit opt --level dispatch --passes tile-contractions --split-input-file %s | filecheck %s
// RUN: not myjit opt --level dispatch --passes 'tile-contractions{row=2}' %s 2>&1 | filecheck %s --check-prefix=BAD
// BAD: 'rows'

// CHECK: lowering_config<cache_parallel = [64, 128, 0], distribution = [64, 128, 0], vector_common_parallel = [6, 16, 0], vector_reduction = [0, 0, 4]>
// CHECK: @product
func.func @product(%a: tensor<64x32xf32>, %b: tensor<32x128xf32>, %c: tensor<64x128xf32>) -> tensor<64x128xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.matmul {lowering_config = #iree_cpu.lowering_config<cache_parallel = [64, 64, 0], distribution = [64, 64, 0], vector_common_parallel = [8, 8, 0], vector_reduction = [0, 0, 8]>}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x128xf32>) outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// IREE's own tile is better for a transposed right side.
// CHECK: lowering_config<cache_parallel = [64, 64, 0], distribution = [64, 64, 0], vector_common_parallel = [8, 8, 0], vector_reduction = [0, 0, 8]>
// CHECK: @transposed
func.func @transposed(%a: tensor<64x32xf32>, %b: tensor<128x32xf32>, %c: tensor<64x128xf32>) -> tensor<64x128xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<128x32xf32>) outs(%c : tensor<64x128xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<cache_parallel = [64, 64, 0], distribution = [64, 64, 0], vector_common_parallel = [8, 8, 0], vector_reduction = [0, 0, 8]>} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// CHECK: lowering_config<cache_parallel = [0, 64, 0], distribution = [0, 64, 0], vector_common_parallel = [1, 8, 0], vector_reduction = [0, 0, 8]>
// CHECK: @one_row
func.func @one_row(%a: tensor<1x32xf32>, %b: tensor<32x128xf32>, %c: tensor<1x128xf32>) -> tensor<1x128xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.matmul {lowering_config = #iree_cpu.lowering_config<cache_parallel = [0, 64, 0], distribution = [0, 64, 0], vector_common_parallel = [1, 8, 0], vector_reduction = [0, 0, 8]>}
    ins(%a, %b : tensor<1x32xf32>, tensor<32x128xf32>) outs(%c : tensor<1x128xf32>) -> tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}

// -----

// No tile of two registers divides 72 columns.
// CHECK: lowering_config<cache_parallel = [64, 64, 0], distribution = [64, 64, 0], vector_common_parallel = [8, 8, 0], vector_reduction = [0, 0, 8]>
// CHECK: @odd_columns
func.func @odd_columns(%a: tensor<64x32xf32>, %b: tensor<32x72xf32>, %c: tensor<64x72xf32>) -> tensor<64x72xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.matmul {lowering_config = #iree_cpu.lowering_config<cache_parallel = [64, 64, 0], distribution = [64, 64, 0], vector_common_parallel = [8, 8, 0], vector_reduction = [0, 0, 8]>}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x72xf32>) outs(%c : tensor<64x72xf32>) -> tensor<64x72xf32>
  return %0 : tensor<64x72xf32>
}

// -----

// A result whose rows are written in another order, as attention's is.
// CHECK: lowering_config<cache_parallel = [1, 64, 128, 0], distribution = [1, 64, 128, 0], vector_common_parallel = [1, 6, 16, 0], vector_reduction = [0, 0, 0, 4]>
// CHECK: lowering_config<cache_parallel = [1, 64, 128], vector_common_parallel = [1, 6, 16]>
// CHECK: @rows_apart
func.func @rows_apart(%a: tensor<4x64x32xf32>, %b: tensor<4x32x128xf32>, %c: tensor<4x64x128xf32>, %d: tensor<64x4x128xf32>) -> tensor<64x4x128xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.batch_matmul {lowering_config = #iree_cpu.lowering_config<cache_parallel = [1, 64, 64, 0], distribution = [1, 64, 64, 0], vector_common_parallel = [1, 8, 8, 0], vector_reduction = [0, 0, 0, 8]>}
    ins(%a, %b : tensor<4x64x32xf32>, tensor<4x32x128xf32>) outs(%c : tensor<4x64x128xf32>) -> tensor<4x64x128xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, b, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%0 : tensor<4x64x128xf32>) outs(%d : tensor<64x4x128xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<cache_parallel = [1, 64, 64], vector_common_parallel = [1, 8, 8]>} {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<64x4x128xf32>
  return %1 : tensor<64x4x128xf32>
}

// -----

// Registers of 16 numbers, of which there are twice as many; IREE gives no tiles for the cache there.
// CHECK: lowering_config<distribution = [64, 128, 0], vector_common_parallel = [8, 32, 0], vector_reduction = [0, 0, 4]>
func.func @wide_registers(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>, %c: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.matmul {lowering_config = #iree_cpu.lowering_config<distribution = [64, 64, 0], vector_common_parallel = [8, 16, 0], vector_reduction = [0, 0, 16]>}
    ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
