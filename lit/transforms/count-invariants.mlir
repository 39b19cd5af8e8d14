// RUN: myjit opt %s -p count-invariants --level flow | filecheck %s

#whole = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>
#none = affine_map<(a, b) -> ()>

// What does not depend on the elements is taken in as often as there are some.
// CHECK-LABEL: @counted
// CHECK-NOT: "reduction"
// CHECK: linalg.generic {{.*}}["parallel"]} outs({{.*}} : tensor<?xi64>)
// CHECK: %[[SEVEN:[0-9a-z]+]] = arith.muli %{{[a-z0-9_]+}}, %c7_i64
// CHECK: arith.addi %{{[a-z0-9]+}}, %[[SEVEN]]
func.func @counted(%x: tensor<?x7xi64>, %start: tensor<?xi64>) -> tensor<?xi64> {
  %one = arith.constant 1 : i64
  %0 = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x7xi64>) outs(%start : tensor<?xi64>) {
  ^bb0(%element: i64, %total: i64):
    %next = arith.addi %total, %one : i64
    linalg.yield %next : i64
  } -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// So is what depends on a tensor of one number only.
// CHECK-LABEL: @scaled
// CHECK: linalg.generic {{.*}}["parallel"]} ins(%arg1 : tensor<f32>) outs({{.*}} : tensor<4xf32>)
// CHECK: %[[SQUARE:[0-9a-z]+]] = arith.mulf
// CHECK: %[[ALL:[0-9a-z]+]] = arith.mulf %[[SQUARE]]
// CHECK: arith.addf %[[ALL]]
func.func @scaled(%x: tensor<4x7xf32>, %factor: tensor<f32>, %start: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#whole, #none, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %factor : tensor<4x7xf32>, tensor<f32>) outs(%start : tensor<4xf32>) {
  ^bb0(%element: f32, %by: f32, %total: f32):
    %square = arith.mulf %by, %by : f32
    %next = arith.addf %square, %total : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The largest of none is what the reduction starts from.
// CHECK-LABEL: @largest
// CHECK: %[[MOST:[0-9a-z]+]] = arith.maxsi
// CHECK: %[[SOME:[0-9a-z]+]] = arith.cmpi ne
// CHECK: arith.select %[[SOME]], %[[MOST]]
func.func @largest(%x: tensor<4x?xi64>, %start: tensor<4xi64>) -> tensor<4xi64> {
  %two = arith.constant 2 : i64
  %0 = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x?xi64>) outs(%start : tensor<4xi64>) {
  ^bb0(%element: i64, %most: i64):
    %next = arith.maxsi %two, %most : i64
    linalg.yield %next : i64
  } -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// A power is a product of squares.
// CHECK-LABEL: @power
// CHECK-COUNT-4: arith.muli
// CHECK: arith.muli %{{[a-z0-9]+}}, %{{[a-z]+}}
// CHECK-NOT: arith.muli
func.func @power(%x: tensor<4x7xi64>, %by: i64, %start: tensor<4xi64>) -> tensor<4xi64> {
  %0 = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x7xi64>) outs(%start : tensor<4xi64>) {
  ^bb0(%element: i64, %product: i64):
    %next = arith.muli %by, %product : i64
    linalg.yield %next : i64
  } -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// What depends on elements, on rows of them, or on where they are stays.
// CHECK-LABEL: @others
// CHECK-COUNT-3: linalg.generic {{.*}}["parallel", "reduction"]
// CHECK-NOT: linalg.generic
func.func @others(%x: tensor<4x7xi64>, %rows: tensor<4xi64>, %start: tensor<4xi64>)
    -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) {
  %0 = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x7xi64>) outs(%start : tensor<4xi64>) {
  ^bb0(%element: i64, %total: i64):
    %next = arith.addi %element, %total : i64
    linalg.yield %next : i64
  } -> tensor<4xi64>
  %1 = linalg.generic {indexing_maps = [#whole, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %rows : tensor<4x7xi64>, tensor<4xi64>) outs(%start : tensor<4xi64>) {
  ^bb0(%element: i64, %row: i64, %total: i64):
    %next = arith.addi %row, %total : i64
    linalg.yield %next : i64
  } -> tensor<4xi64>
  %2 = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x7xi64>) outs(%start : tensor<4xi64>) {
  ^bb0(%element: i64, %total: i64):
    %place = linalg.index 1 : index
    %number = arith.index_cast %place : index to i64
    %next = arith.addi %number, %total : i64
    linalg.yield %next : i64
  } -> tensor<4xi64>
  return %0, %1, %2 : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
}

#padded = affine_map<(a, b) -> (a * 2 + b)>
#window = affine_map<(a, b) -> (b)>

// So do windows, whose elements lie along no single loop.
// CHECK-LABEL: @windows
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]
func.func @windows(%x: tensor<9xf32>, %width: tensor<3xf32>, %start: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#padded, #window, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %width : tensor<9xf32>, tensor<3xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%element: f32, %unused: f32, %total: f32):
    %next = arith.addf %element, %total : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
