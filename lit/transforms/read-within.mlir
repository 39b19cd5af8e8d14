// RUN: myjit opt --level dispatch --passes read-within --split-input-file %s | filecheck %s

#row = affine_map<(i, j) -> (j)>
#sum = affine_map<(i, j) -> (i)>
#vectors = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute>
                                          workgroup_size = [1024, 1, 1] subgroup_size = 32>

// CHECK-LABEL: @unknown_length
// CHECK: %[[ROWS:.+]] = tensor.dim %[[X:.+]], %c0
// CHECK: %[[LAST_ROW:.+]] = arith.subi %[[ROWS]]
// CHECK: %[[LAST:.+]] = arith.subi %c40
// CHECK: %[[BACK:.+]] = arith.subi %{{.+}}, %{{.+}} : index
// CHECK: %[[ROW:.+]] = arith.minsi %{{.+}}, %[[LAST_ROW]]
// CHECK: %[[I:.+]] = arith.maxsi %[[ROW]], %c0
// CHECK: %[[PLACE:.+]] = arith.minsi %[[BACK]], %[[LAST]]
// CHECK: %[[J:.+]] = arith.maxsi %[[PLACE]], %c0
// CHECK: tensor.extract %[[X]][%[[I]], %[[J]]]
func.func @unknown_length(%x: tensor<?x40xf32>, %row: tensor<?xf32>, %sums: tensor<?xf32>, %end: index)
    -> tensor<?xf32> attributes {translation_info = #vectors} {
  %0 = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%row : tensor<?xf32>) outs(%sums : tensor<?xf32>) {
  ^bb0(%in: f32, %so_far: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %back = arith.subi %end, %j : index
    %value = tensor.extract %x[%i, %back] : tensor<?x40xf32>
    %less = arith.subf %in, %value : f32
    %more = arith.addf %so_far, %less : f32
    linalg.yield %more : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

#row = affine_map<(i, j) -> (j)>
#sum = affine_map<(i, j) -> (i)>
#vectors = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute>
                                          workgroup_size = [32, 1, 1] subgroup_size = 32>

// Rows of 64 elements are handed out whole: nothing lies beyond.
// CHECK-LABEL: @known_length
// CHECK-NOT: arith.minsi
func.func @known_length(%x: tensor<3x64xf32>, %row: tensor<64xf32>, %sums: tensor<3xf32>, %end: index)
    -> tensor<3xf32> attributes {translation_info = #vectors} {
  %0 = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%row : tensor<64xf32>) outs(%sums : tensor<3xf32>) {
  ^bb0(%in: f32, %so_far: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %back = arith.subi %end, %j : index
    %value = tensor.extract %x[%i, %back] : tensor<3x64xf32>
    %less = arith.subf %in, %value : f32
    %more = arith.addf %so_far, %less : f32
    linalg.yield %more : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
