// RUN: myjit opt %s -p split-sums --level linalg --split-input-file | filecheck %s

#whole = affine_map<(a, b) -> (a, b)>
#none = affine_map<(a, b) -> ()>

// Rows are the parts of a sum of them all: they need no other shape.
// CHECK-LABEL: @all
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]{{.*}} outs({{.*}} : tensor<4096xf32>)
// CHECK: linalg.generic {{.*}}["reduction"]{{.*}} outs({{.*}} : tensor<f32>)
func.func @all(%x: tensor<4096x4096xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#whole, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<4096x4096xf32>) outs(%start : tensor<f32>) {
  ^bb0(%one: f32, %total: f32):
    %square = arith.mulf %one, %one : f32
    %next = arith.addf %square, %total : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// -----

#whole = affine_map<(a, b) -> (a, b)>
#column = affine_map<(a, b) -> (b)>

// Columns are cut, and what their parts give once more.
// CHECK-LABEL: @columns
// CHECK: tensor.expand_shape {{.*}} into tensor<1024x128x8xf32>
// CHECK: linalg.generic {{.*}}["parallel", "reduction", "parallel"]{{.*}} outs({{.*}} : tensor<1024x8xf32>)
// CHECK: tensor.expand_shape {{.*}} into tensor<8x128x8xf32>
// CHECK: linalg.generic {{.*}}["parallel", "reduction", "parallel"]{{.*}} outs({{.*}} : tensor<8x8xf32>)
// CHECK: linalg.generic {{.*}}["reduction", "parallel"]{{.*}} outs({{.*}} : tensor<8xf32>)
func.func @columns(%x: tensor<131072x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#whole, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<131072x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%one: f32, %total: f32):
    %next = arith.addf %one, %total : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// -----

#row = affine_map<(a) -> (a)>
#none = affine_map<(a) -> ()>

// What has no parts, or an unknown length, is added up in float64.
// CHECK-LABEL: @unknown
// CHECK: linalg.generic {{.*}}["reduction"]{{.*}} outs({{.*}} : tensor<f64>)
// CHECK: arith.extf
// CHECK: arith.addf {{.*}} : f64
// CHECK: arith.truncf
func.func @unknown(%x: tensor<?xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#row, #none], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%start : tensor<f32>) {
  ^bb0(%one: f32, %total: f32):
    %next = arith.addf %one, %total : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// -----

#row = affine_map<(a) -> (a)>
#none = affine_map<(a) -> ()>

// A sum that starts from something else, and one of few numbers, stay as they are.
// CHECK-LABEL: @others
// CHECK-COUNT-2: linalg.generic {{.*}}["reduction"]
// CHECK-NOT: linalg.generic
func.func @others(%x: tensor<131072xf32>, %y: tensor<1024xf32>, %from: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %0 = linalg.generic {indexing_maps = [#row, #none], iterator_types = ["reduction"]}
      ins(%x : tensor<131072xf32>) outs(%from : tensor<f32>) {
  ^bb0(%one: f32, %total: f32):
    %next = arith.addf %one, %total : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#row, #none], iterator_types = ["reduction"]}
      ins(%y : tensor<1024xf32>) outs(%start : tensor<f32>) {
  ^bb0(%one: f32, %total: f32):
    %next = arith.addf %one, %total : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

#row = affine_map<(a) -> (a)>
#none = affine_map<(a) -> ()>

// What finds the largest number and its place has parts where nobody asks for the place.
// CHECK-LABEL: @largest
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]{{.*}} outs({{.*}} : tensor<16xf32>)
// CHECK: linalg.generic {{.*}}["reduction"]{{.*}} outs({{.*}} : tensor<f32>)
// CHECK-NOT: i64
func.func @largest(%x: tensor<262144xf32>) -> tensor<f32> {
  %least = arith.constant 0xFF800000 : f32
  %nowhere = arith.constant 0 : i64
  %empty = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%least : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %places = tensor.empty() : tensor<i64>
  %first = linalg.fill ins(%nowhere : i64) outs(%places : tensor<i64>) -> tensor<i64>
  %found:2 = linalg.generic {indexing_maps = [#row, #none, #none], iterator_types = ["reduction"]}
      ins(%x : tensor<262144xf32>) outs(%start, %first : tensor<f32>, tensor<i64>) {
  ^bb0(%one: f32, %most: f32, %where: i64):
    %index = linalg.index 0 : index
    %place = arith.index_cast %index : index to i64
    %next = arith.maximumf %one, %most : f32
    %more = arith.cmpf ogt, %one, %most : f32
    %there = arith.select %more, %place, %where : i64
    linalg.yield %next, %there : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %found#0 : tensor<f32>
}
