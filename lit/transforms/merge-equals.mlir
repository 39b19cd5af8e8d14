// RUN: myjit opt %s -p merge-equals --level global --split-input-file | filecheck %s

#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// A selection of a selection by the same mask: it is the first.
// CHECK-LABEL: @twice
// CHECK: %[[ONCE:.+]] = linalg.generic
// CHECK: util.return %[[ONCE]], %[[ONCE]]
util.func public @twice(%x: tensor<8x4xf32>, %mask: tensor<4xi1>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<8x4xf32>
  %once = linalg.generic {indexing_maps = [#row, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%mask, %x : tensor<4xi1>, tensor<8x4xf32>) outs(%out : tensor<8x4xf32>) {
  ^bb0(%m: i1, %a: f32, %b: f32):
    %0 = arith.select %m, %a, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  %twice = linalg.generic {indexing_maps = [#row, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%mask, %once : tensor<4xi1>, tensor<8x4xf32>) outs(%out : tensor<8x4xf32>) {
  ^bb0(%m: i1, %a: f32, %b: f32):
    %0 = arith.select %m, %a, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  util.return %once, %twice : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

#same = affine_map<(i) -> (i)>

// The same number in as many places as are asked for: how many may differ.
// CHECK-LABEL: @sizes
// CHECK: %[[FIRST:.+]] = linalg.generic
// CHECK: linalg.generic
// CHECK: %[[SECOND:.+]] = linalg.generic
// CHECK: util.return %[[FIRST]], %[[FIRST]], %[[SECOND]]
util.func public @sizes(%m: index, %n: index) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %two = arith.constant 2 : i64
  %zero = arith.constant 0 : i64
  %first = tensor.empty(%m) : tensor<?xi64>
  %second = tensor.empty(%n) : tensor<?xi64>
  %0 = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel"]} outs(%first : tensor<?xi64>) {
  ^bb0(%b: i64):
    linalg.yield %two : i64
  } -> tensor<?xi64>
  %1 = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel"]} outs(%first : tensor<?xi64>) {
  ^bb0(%b: i64):
    %same = arith.addi %two, %zero : i64
    linalg.yield %same : i64
  } -> tensor<?xi64>
  %2 = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel"]} outs(%second : tensor<?xi64>) {
  ^bb0(%b: i64):
    linalg.yield %two : i64
  } -> tensor<?xi64>
  util.return %0, %1, %2 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}

// -----

#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i) -> (i)>

// The same elements with other dimensions, of a tensor that is seen so: the first is seen so.
// CHECK-LABEL: @forms
// CHECK: %[[ONCE:.+]] = linalg.generic
// CHECK-NEXT: ^bb0
// CHECK: %[[ROW:.+]] = tensor.collapse_shape %[[ONCE]] {{\[\[}}0, 1]] : tensor<8x4xi32> into tensor<32xi32>
// CHECK: util.return %[[ONCE]], %[[ROW]]
util.func public @forms(%x: tensor<8x4xi32>) -> (tensor<8x4xi32>, tensor<32xi32>) {
  %five = arith.constant 5 : i32
  %out = tensor.empty() : tensor<8x4xi32>
  %long = tensor.empty() : tensor<32xi32>
  %fives = linalg.fill ins(%five : i32) outs(%out : tensor<8x4xi32>) -> tensor<8x4xi32>
  %once = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xi32>) outs(%out : tensor<8x4xi32>) {
  ^bb0(%a: i32, %b: i32):
    %0 = arith.andi %a, %five : i32
    linalg.yield %0 : i32
  } -> tensor<8x4xi32>
  %seen = tensor.collapse_shape %once [[0, 1]] : tensor<8x4xi32> into tensor<32xi32>
  %all = tensor.collapse_shape %fives [[0, 1]] : tensor<8x4xi32> into tensor<32xi32>
  %twice = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]} ins(%seen, %all : tensor<32xi32>, tensor<32xi32>) outs(%long : tensor<32xi32>) {
  ^bb0(%a: i32, %n: i32, %b: i32):
    %0 = arith.andi %a, %n : i32
    linalg.yield %0 : i32
  } -> tensor<32xi32>
  util.return %once, %twice : tensor<8x4xi32>, tensor<32xi32>
}
