// RUN: myjit opt --level dispatch --passes narrow-divisions --split-input-file %s | filecheck %s
// RUN: myjit opt --level dispatch --passes 'narrow-divisions{elements=4}' --split-input-file %s | filecheck %s --check-prefix=FOUR

// Remainders of 512 elements at a time would be written out 512 times: the largest tiles are halved first.
// CHECK: lowering_config<vector_common_parallel = [4]>
// CHECK: lowering_config<distribution = [32, 0], vector_common_parallel = [4, 0], vector_reduction = [0, 4]>
// FOUR: lowering_config<vector_common_parallel = [2]>
// FOUR: lowering_config<distribution = [32, 0], vector_common_parallel = [2, 0], vector_reduction = [0, 2]>
// CHECK: @remainders
func.func @remainders(%x: tensor<32x128xindex>, %s: tensor<32xindex>, %n: index) -> tensor<32xindex>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %c0 = arith.constant 0 : index
  %z = linalg.fill {lowering_config = #iree_cpu.lowering_config<vector_common_parallel = [8]>} ins(%c0 : index) outs(%s : tensor<32xindex>) -> tensor<32xindex>
  %0 = linalg.generic {indexing_maps = [affine_map<(d, r) -> (d, r)>, affine_map<(d, r) -> (d)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<32x128xindex>) outs(%z : tensor<32xindex>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [32, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 64]>} {
  ^bb0(%a: index, %b: index):
    %q = arith.remsi %a, %n : index
    %t = arith.addi %q, %b : index
    linalg.yield %t : index
  } -> tensor<32xindex>
  return %0 : tensor<32xindex>
}

// -----

// What does not divide stays as it is.
// CHECK: vector_common_parallel = [64]
// CHECK: @sums
func.func @sums(%x: tensor<64xi32>) -> tensor<64xi32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<64xi32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64], vector_common_parallel = [64]>} {
  ^bb0(%a: i32):
    %t = arith.addi %a, %a : i32
    linalg.yield %t : i32
  } -> tensor<64xi32>
  return %0 : tensor<64xi32>
}

// -----

// A loop's tiles stay equal at all levels, and count once.
// CHECK: lowering_config<distribution = [32, 0], vector_common_parallel = [1, 0], vector_inner_parallel = [0, 16], vector_reduction = [0, 16]>
// FOUR: lowering_config<distribution = [32, 0], vector_common_parallel = [1, 0], vector_inner_parallel = [0, 4], vector_reduction = [0, 4]>
// CHECK: @rows
func.func @rows(%x: tensor<32x128xindex>, %n: index) -> tensor<32x128xindex>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d, r) -> (d, r)>], iterator_types = ["parallel", "parallel"]}
    outs(%x : tensor<32x128xindex>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [32, 0], vector_common_parallel = [1, 0], vector_inner_parallel = [0, 16], vector_reduction = [0, 16]>} {
  ^bb0(%a: index):
    %q = arith.remsi %a, %n : index
    linalg.yield %q : index
  } -> tensor<32x128xindex>
  return %0 : tensor<32x128xindex>
}
