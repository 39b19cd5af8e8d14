// RUN: myjit opt %s -p tile-vector-products --level dispatch --split-input-file | filecheck %s

#translation = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>

// A linear layer's weight lies along the sum.
// CHECK: vector_common_parallel = [1, 1, 0], vector_reduction = [0, 0, 256]
func.func @weight(%a: tensor<1x768xf32>, %b: tensor<768x768xf32>, %c: tensor<1x768xf32>) -> tensor<1x768xf32>
    attributes {translation_info = #translation} {
  %0 = linalg.matmul indexing_maps = [#row, #weight, #result]
    {lowering_config = #iree_cpu.lowering_config<distribution = [0, 64, 0], vector_common_parallel = [1, 16, 0], vector_reduction = [0, 0, 16]>}
    ins(%a, %b : tensor<1x768xf32>, tensor<768x768xf32>) outs(%c : tensor<1x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}

// -----

#translation = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>

// A matrix row by row lies along the results.
// CHECK: vector_common_parallel = [1, 64, 0], vector_reduction = [0, 0, 4]
func.func @rows(%a: tensor<1x768xf32>, %b: tensor<768x768xf32>, %c: tensor<1x768xf32>) -> tensor<1x768xf32>
    attributes {translation_info = #translation} {
  %0 = linalg.matmul
    {lowering_config = #iree_cpu.lowering_config<distribution = [0, 64, 0], vector_common_parallel = [1, 16, 0], vector_reduction = [0, 0, 16]>}
    ins(%a, %b : tensor<1x768xf32>, tensor<768x768xf32>) outs(%c : tensor<1x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}

// -----

#translation = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>

// Two rows are a product of matrices.
// CHECK: vector_common_parallel = [2, 16, 0], vector_reduction = [0, 0, 16]
func.func @matrices(%a: tensor<2x768xf32>, %b: tensor<768x768xf32>, %c: tensor<2x768xf32>) -> tensor<2x768xf32>
    attributes {translation_info = #translation} {
  %0 = linalg.matmul
    {lowering_config = #iree_cpu.lowering_config<distribution = [0, 64, 0], vector_common_parallel = [2, 16, 0], vector_reduction = [0, 0, 16]>}
    ins(%a, %b : tensor<2x768xf32>, tensor<768x768xf32>) outs(%c : tensor<2x768xf32>) -> tensor<2x768xf32>
  return %0 : tensor<2x768xf32>
}

// -----

#translation = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>

// Of 300 results no 16 or more divide them: two registers, the last under a mask.
// CHECK: distribution = [32, 0], vector_common_parallel = [32, 0], vector_reduction = [0, 4]
// CHECK: @indivisible
func.func @indivisible(%a: tensor<1000x300xf32>, %b: tensor<1000xf32>, %c: tensor<300xf32>) -> tensor<300xf32>
    attributes {translation_info = #translation} {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]}
    ins(%a, %b : tensor<1000x300xf32>, tensor<1000xf32>) outs(%c : tensor<300xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 0], vector_common_parallel = [16, 0], vector_reduction = [0, 16]>} {
  ^bb0(%one: f32, %other: f32, %total: f32):
    %product = arith.mulf %one, %other : f32
    %sum = arith.addf %total, %product : f32
    linalg.yield %sum : f32
  } -> tensor<300xf32>
  return %0 : tensor<300xf32>
}
