// RUN: myjit opt --level dispatch --passes join-subgroups --split-input-file %s | filecheck %s

#pair = affine_map<(i, j, k) -> (i, j)>
#other = affine_map<(i, j, k) -> (i, k)>
#sum = affine_map<(i, j, k) -> (i)>

// Five parts, four lanes to read them: one subgroup does the work of all, in steps of a fifth.
// CHECK: workgroup_size = [32, 1, 1] subgroup_size = 32
// CHECK: lane_basis = {{\[\[}}1, 1, 4], [0, 1, 2]], partial_reduction = [0, 1, 8], subgroup_basis = {{\[\[}}1, 1, 1], [0, 1, 2]], thread = [0, 1, 2], workgroup = [1, 0, 0]
// CHECK: lane_basis = {{\[\[}}1, 4], [0, 1]], serial = [0, 8], subgroup_basis = {{\[\[}}1, 1], [0, 1]]
func.func @five_parts(%x: tensor<3x40xf32>, %sums: tensor<3xf32>, %out: tensor<3x40xf32>) -> tensor<3x40xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute>
                workgroup_size = [800, 1, 1] subgroup_size = 32>} {
  %sum = linalg.generic {indexing_maps = [#pair, #other, #sum],
                         iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %x : tensor<3x40xf32>, tensor<3x40xf32>) outs(%sums : tensor<3xf32>) attrs = {
    lowering_config = #iree_gpu.lowering_config<{
      lane_basis = [[1, 1, 4], [0, 1, 2]], partial_reduction = [0, 1, 40],
      subgroup_basis = [[1, 1, 5], [0, 1, 2]], thread = [0, 1, 2], workgroup = [1, 0, 0]}>} {
  ^bb0(%a: f32, %b: f32, %so_far: f32):
    %difference = arith.subf %a, %b : f32
    %more = arith.addf %so_far, %difference : f32
    linalg.yield %more : f32
  } -> tensor<3xf32>
  %less = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                           affine_map<(i, j) -> (i, j)>],
                          iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<3x40xf32>, tensor<3xf32>) outs(%out : tensor<3x40xf32>) attrs = {
    lowering_config = #iree_gpu.lowering_config<{
      lane_basis = [[1, 4], [0, 1]], serial = [0, 40],
      subgroup_basis = [[1, 5], [0, 1]], thread = [0, 2]}>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %difference = arith.subf %a, %b : f32
    linalg.yield %difference : f32
  } -> tensor<3x40xf32>
  return %less : tensor<3x40xf32>
}

// -----

// Five parts, and lanes for eight: as it was.
// CHECK: workgroup_size = [160, 1, 1]
// CHECK: partial_reduction = [0, 160], subgroup_basis = {{\[\[}}1, 5], [0, 1]]
func.func @enough_lanes(%x: tensor<3x160xf32>, %sums: tensor<3xf32>) -> tensor<3xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute>
                workgroup_size = [160, 1, 1] subgroup_size = 32>} {
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x160xf32>) outs(%sums : tensor<3xf32>) attrs = {
    lowering_config = #iree_gpu.lowering_config<{
      lane_basis = [[1, 32], [0, 1]], partial_reduction = [0, 160],
      subgroup_basis = [[1, 5], [0, 1]], thread = [0, 1], workgroup = [1, 0]}>} {
  ^bb0(%a: f32, %so_far: f32):
    %more = arith.addf %so_far, %a : f32
    linalg.yield %more : f32
  } -> tensor<3xf32>
  return %sum : tensor<3xf32>
}
