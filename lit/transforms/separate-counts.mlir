// RUN: myjit opt %s -p separate-counts --level iree --split-input-file --verify-diagnostics | filecheck %s

// What does not lie along the channels is counted in loops of its own.
// CHECK-LABEL: @counted
// CHECK: %[[COUNTS:.+]] = linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%{{.+}} : tensor<8xf32>)
// CHECK: %[[PLACE:.+]] = linalg.index 0
// CHECK: arith.addi %[[PLACE]]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: return %{{.+}}#0, %[[COUNTS]]
#all = affine_map<(channel, place, step) -> (channel, place, step)>
#sums = affine_map<(channel, place, step) -> (channel, place)>
#counts = affine_map<(channel, place, step) -> (place)>
func.func @counted(%x: tensor<4x8x3xf32>, %sums: tensor<4x8xf32>, %counts: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  %one = arith.constant 1 : index
  %0:2 = linalg.generic {indexing_maps = [#all, #sums, #counts], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x8x3xf32>) outs(%sums, %counts : tensor<4x8xf32>, tensor<8xf32>) {
  ^bb0(%element: f32, %sum: f32, %count: f32):
    %place = linalg.index 1 : index
    %number = arith.addi %place, %one : index
    %word = arith.index_cast %number : index to i64
    %float = arith.sitofp %word : i64 to f32
    %total = arith.addf %element, %sum : f32
    linalg.yield %total, %float : f32, f32
  } -> (tensor<4x8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<8xf32>
}

// Two sums over the same loops, each its own iterations': they stay.
// CHECK-LABEL: @both
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
#rows = affine_map<(row, step) -> (row, step)>
#row = affine_map<(row, step) -> (row)>
func.func @both(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init, %init : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%element: f32, %a: f32, %b: f32):
    %sum = arith.addf %element, %a : f32
    %difference = arith.subf %b, %element : f32
    linalg.yield %sum, %difference : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

#all = affine_map<(channel, place) -> (channel, place)>
#last = affine_map<(channel, place) -> (place)>
func.func @of_whichever_comes_last(%x: tensor<4x8xf32>, %last: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  // expected-error @+1 {{every iteration of a parallel loop would write the same result}}
  %0:2 = linalg.generic {indexing_maps = [#all, #all, #last], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%x, %last : tensor<4x8xf32>, tensor<8xf32>) {
  ^bb0(%element: f32, %same: f32, %written: f32):
    linalg.yield %element, %element : f32, f32
  } -> (tensor<4x8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<8xf32>
}
