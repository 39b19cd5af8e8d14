// RUN: myjit opt --level dispatch --passes fit-stack --split-input-file %s | filecheck %s

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#several = #iree_cpu.lowering_config<vector_common_parallel = [8, 0], vector_inner_parallel = [0, 16]>
#sum = #iree_cpu.lowering_config<distribution = [32, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 16]>

// Two loops read what is computed of each row: of eight rows of 768 numbers that takes 49152 bytes.
// CHECK-DAG: lowering_config<vector_common_parallel = [1, 0], vector_inner_parallel = [0, 16]>
// CHECK-DAG: lowering_config<distribution = [32, 0], vector_common_parallel = [1, 0], vector_reduction = [0, 16]>
// CHECK: @wide
func.func @wide(%x: tensor<512x768xf32>, %start: tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>)
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %empty = tensor.empty() : tensor<512x768xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<512x768xf32>) outs(%empty : tensor<512x768xf32>) attrs = {lowering_config = #several} {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<512x768xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<512x768xf32>) outs(%start : tensor<512xf32>) attrs = {lowering_config = #sum} {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<512xf32>
  %other = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y, %sum : tensor<512x768xf32>, tensor<512xf32>) outs(%start : tensor<512xf32>) attrs = {lowering_config = #sum} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.addf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<512xf32>
  return %sum, %other : tensor<512xf32>, tensor<512xf32>
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#several = #iree_cpu.lowering_config<vector_common_parallel = [8, 0], vector_inner_parallel = [0, 16]>
#sum = #iree_cpu.lowering_config<distribution = [32, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 16]>

// Rows of 256 numbers fit.
// CHECK-DAG: lowering_config<vector_common_parallel = [8, 0], vector_inner_parallel = [0, 16]>
// CHECK-DAG: lowering_config<distribution = [32, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 16]>
// CHECK: @narrow
func.func @narrow(%x: tensor<512x256xf32>, %start: tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>)
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %empty = tensor.empty() : tensor<512x256xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<512x256xf32>) outs(%empty : tensor<512x256xf32>) attrs = {lowering_config = #several} {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<512x256xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<512x256xf32>) outs(%start : tensor<512xf32>) attrs = {lowering_config = #sum} {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<512xf32>
  %other = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y, %sum : tensor<512x256xf32>, tensor<512xf32>) outs(%start : tensor<512xf32>) attrs = {lowering_config = #sum} {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.addf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<512xf32>
  return %sum, %other : tensor<512xf32>, tensor<512xf32>
}
