// RUN: myjit opt %s -p hide-contractions --level dispatch | filecheck %s

#whole = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (b)>
#column = affine_map<(a, b) -> (a)>
#across = affine_map<(a, b) -> (b, a)>
#none = affine_map<(a, b) -> ()>

// CHECK-LABEL: @weighted
// CHECK: %[[MUL:.+]] = arith.mulf
// CHECK: %[[ZERO:.+]] = arith.constant 0.0
// CHECK: %[[SAME:.+]] = arith.addf %[[MUL]], %[[ZERO]]
// CHECK: arith.addf %[[SAME]]
func.func @weighted(%x: tensor<64x128xf32>, %w: tensor<128xf32>, %start: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [#whole, #row, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x, %w : tensor<64x128xf32>, tensor<128xf32>) outs(%start : tensor<f32>) {
  ^bb0(%one: f32, %weight: f32, %total: f32):
    %product = arith.mulf %one, %weight : f32
    %next = arith.addf %product, %total : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// Of integers the sign is a subtraction.
// CHECK-LABEL: @integers
// CHECK-COUNT-2: arith.subi
func.func @integers(%x: tensor<64x128xi32>, %w: tensor<128xi32>, %start: tensor<i32>) -> tensor<i32> {
  %0 = linalg.generic {indexing_maps = [#whole, #row, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x, %w : tensor<64x128xi32>, tensor<128xi32>) outs(%start : tensor<i32>) {
  ^bb0(%one: i32, %weight: i32, %total: i32):
    %product = arith.muli %one, %weight : i32
    %next = arith.addi %product, %total : i32
    linalg.yield %next : i32
  } -> tensor<i32>
  return %0 : tensor<i32>
}

// Of rows that are added up no number is used twice.
// CHECK-LABEL: @rows
// CHECK: %[[ZERO:.+]] = arith.constant 0.0
// CHECK: arith.addf %{{.+}}, %[[ZERO]]
func.func @rows(%x: tensor<64x128xf32>, %start: tensor<128xf32>) -> tensor<128xf32> {
  %0 = linalg.generic {indexing_maps = [#across, #across, #column], iterator_types = ["parallel", "reduction"]}
      ins(%x, %x : tensor<64x128xf32>, tensor<64x128xf32>) outs(%start : tensor<128xf32>) {
  ^bb0(%one: f32, %weight: f32, %total: f32):
    %product = arith.mulf %one, %weight : f32
    %next = arith.addf %product, %total : f32
    linalg.yield %next : f32
  } -> tensor<128xf32>
  return %0 : tensor<128xf32>
}

// Nor of squares; a row by a vector is a product of a matrix, and stays.
// CHECK-LABEL: @others
// CHECK: %[[ZERO:.+]] = arith.constant 0.0
// CHECK: arith.addf %{{.+}}, %[[ZERO]]
// CHECK-NOT: arith.constant
func.func @others(%x: tensor<64x128xf32>, %w: tensor<128xf32>, %start: tensor<f32>, %rows: tensor<64xf32>)
    -> (tensor<f32>, tensor<64xf32>) {
  %0 = linalg.generic {indexing_maps = [#whole, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<64x128xf32>) outs(%start : tensor<f32>) {
  ^bb0(%one: f32, %total: f32):
    %product = arith.mulf %one, %one : f32
    %next = arith.addf %product, %total : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#whole, #row, #column], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<64x128xf32>, tensor<128xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%one: f32, %weight: f32, %total: f32):
    %product = arith.mulf %one, %weight : f32
    %next = arith.addf %product, %total : f32
    linalg.yield %next : f32
  } -> tensor<64xf32>
  return %0, %1 : tensor<f32>, tensor<64xf32>
}
