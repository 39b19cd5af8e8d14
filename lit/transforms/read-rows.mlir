// RUN: myjit opt --level dispatch --passes read-rows --split-input-file %s | filecheck %s

#row = affine_map<(i, j) -> (i)>
#element = affine_map<(i, j) -> (i, j)>

// The rows' numbers are read inside of the loops, and workgroups take whole rows.
// CHECK-LABEL: @table
// CHECK: %[[PLACES:.+]] = iree_codegen.load_from_buffer
// CHECK: linalg.generic
// CHECK: linalg.index 0
// CHECK-NEXT: %[[ROW:.+]] = tensor.extract %[[PLACES]]
// CHECK: arith.index_cast %[[ROW]]
func.func @table(%table: tensor<99x256xf32>, %memory: memref<512xi64>) -> tensor<512x256xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %places = iree_codegen.load_from_buffer %memory : memref<512xi64> -> tensor<512xi64>
  %empty = tensor.empty() : tensor<512x256xf32>
  %0 = linalg.generic {indexing_maps = [#row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<512xi64>) outs(%empty : tensor<512x256xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 64], vector_common_parallel = [1, 64]>} {
  ^bb0(%place: i64, %out: f32):
    %row = arith.index_cast %place : i64 to index
    %column = linalg.index 1 : index
    %value = tensor.extract %table[%row, %column] : tensor<99x256xf32>
    linalg.yield %value : f32
  } -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}

// -----

#element = affine_map<(i, j) -> (i, j)>

// Each number has a place of its own: nothing lies in rows.
// CHECK-LABEL: @gather
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0(%[[PLACE:.+]]: i64, %{{.+}}: f32):
// CHECK-NEXT: arith.index_cast %[[PLACE]]
func.func @gather(%table: tensor<99x256xf32>, %memory: memref<512x256xi64>) -> tensor<512x256xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %places = iree_codegen.load_from_buffer %memory : memref<512x256xi64> -> tensor<512x256xi64>
  %empty = tensor.empty() : tensor<512x256xf32>
  %0 = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<512x256xi64>) outs(%empty : tensor<512x256xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 64], vector_common_parallel = [1, 64]>} {
  ^bb0(%place: i64, %out: f32):
    %row = arith.index_cast %place : i64 to index
    %column = linalg.index 1 : index
    %value = tensor.extract %table[%row, %column] : tensor<99x256xf32>
    linalg.yield %value : f32
  } -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#element = affine_map<(i, j) -> (i, j)>

// What another operation of the dispatch computes stays an input, computed tile by tile.
// CHECK-LABEL: @computed
// CHECK: ^bb0(%[[PLACE:.+]]: i64, %{{.+}}: f32):
// CHECK-NEXT: arith.index_cast %[[PLACE]]
func.func @computed(%table: tensor<99x256xf32>, %places: tensor<512xi64>) -> tensor<512x256xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %empty = tensor.empty() : tensor<512x256xf32>
  %0 = linalg.generic {indexing_maps = [#row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<512xi64>) outs(%empty : tensor<512x256xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 64], vector_common_parallel = [1, 64]>} {
  ^bb0(%place: i64, %out: f32):
    %row = arith.index_cast %place : i64 to index
    %column = linalg.index 1 : index
    %value = tensor.extract %table[%row, %column] : tensor<99x256xf32>
    linalg.yield %value : f32
  } -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}

// -----

#element = affine_map<(i, j) -> (i, j)>

// A tensor of one number has no rows.
// CHECK-LABEL: @number
// CHECK: tensor.extract %{{.+}}[] : tensor<f32>
func.func @number(%number: tensor<f32>, %memory: memref<512x256xf32>) -> tensor<512x256xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %x = iree_codegen.load_from_buffer %memory : memref<512x256xf32> -> tensor<512x256xf32>
  %empty = tensor.empty() : tensor<512x256xf32>
  %0 = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<512x256xf32>) outs(%empty : tensor<512x256xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 64], vector_common_parallel = [1, 64]>} {
  ^bb0(%in: f32, %out: f32):
    %value = tensor.extract %number[] : tensor<f32>
    %sum = arith.addf %in, %value : f32
    linalg.yield %sum : f32
  } -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}
