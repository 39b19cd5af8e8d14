// RUN: myjit opt --level dispatch --passes divide-rows --split-input-file %s | filecheck %s

#all = affine_map<(c, n, i) -> (n, c, i)>
#row = affine_map<(c, n, i) -> (c)>

// Three rows a workgroup by tiles of two.
// CHECK: lowering_config<vector_common_parallel = [1, 0, 0], vector_reduction = [0, 1, 16]>
// CHECK: lowering_config<distribution = [3, 0, 0], vector_common_parallel = [1, 0, 0], vector_reduction = [0, 1, 16]>
// CHECK: @rest
func.func @rest(%x: tensor<3x129x16xf32>, %start: tensor<129xf32>) -> (tensor<129xf32>, tensor<129xf32>)
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<3x129x16xf32>) outs(%start : tensor<129xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<vector_common_parallel = [2, 0, 0], vector_reduction = [0, 1, 16]>} {
  ^bb0(%a: f32, %s: f32):
    %1 = arith.addf %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<129xf32>
  %2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %0 : tensor<3x129x16xf32>, tensor<129xf32>) outs(%start : tensor<129xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [3, 0, 0], vector_common_parallel = [2, 0, 0], vector_reduction = [0, 1, 16]>} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %1 = arith.subf %a, %b : f32
    %3 = arith.addf %1, %s : f32
    linalg.yield %3 : f32
  } -> tensor<129xf32>
  return %0, %2 : tensor<129xf32>, tensor<129xf32>
}

// -----

#all = affine_map<(c, n, i) -> (n, c, i)>
#row = affine_map<(c, n, i) -> (c)>

// Of one sum alone nothing is computed anew.
// CHECK: lowering_config<distribution = [3, 0, 0], vector_common_parallel = [2, 0, 0], vector_reduction = [0, 1, 16]>
// CHECK: @single
func.func @single(%x: tensor<3x129x16xf32>, %start: tensor<129xf32>) -> tensor<129xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<3x129x16xf32>) outs(%start : tensor<129xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [3, 0, 0], vector_common_parallel = [2, 0, 0], vector_reduction = [0, 1, 16]>} {
  ^bb0(%a: f32, %s: f32):
    %1 = arith.addf %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<129xf32>
  return %0 : tensor<129xf32>
}
