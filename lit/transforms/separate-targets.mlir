// RUN: myjit opt %s -p separate-targets --level iree | filecheck %s

// Places, counted from nothing: each update gets a copy that reads memory.
// CHECK-LABEL: @counted
// CHECK: %[[COUNTED:.+]] = linalg.generic
// CHECK-COUNT-2: linalg.generic {{.*}} ins(%[[COUNTED]], %{{.+}} : tensor<?xindex>, tensor<index>)
#place = affine_map<(place) -> (place)>
func.func @counted(%n: index, %x: tensor<2xindex>) -> (tensor<?xindex>, tensor<?xindex>) {
  %init = tensor.empty(%n) : tensor<?xindex>
  %counted = linalg.generic {indexing_maps = [#place], iterator_types = ["parallel"]} outs(%init : tensor<?xindex>) {
  ^bb0(%out: index):
    %place = linalg.index 0 : index
    linalg.yield %place : index
  } -> tensor<?xindex>
  %0 = tensor.insert_slice %x into %counted[0] [2] [1] : tensor<2xindex> into tensor<?xindex>
  %1 = tensor.insert_slice %x into %counted[1] [2] [1] : tensor<2xindex> into tensor<?xindex>
  return %0, %1 : tensor<?xindex>, tensor<?xindex>
}

// What is filled, or computed from a tensor or a weight, is kept apart by IREE.
// CHECK-LABEL: @others
// CHECK-NOT: util.optimization_barrier
util.global private @weight = #flow.parameter.named<"model"::"0"> : tensor<?xf32>
func.func @others(%n: index, %x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty(%n) : tensor<?xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  %negated = linalg.generic {indexing_maps = [#place, #place], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %negative = arith.negf %in : f32
    linalg.yield %negative : f32
  } -> tensor<?xf32>
  %0 = tensor.insert_slice %x into %filled[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %1 = tensor.insert_slice %x into %negated[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %weight = util.global.load immutable @weight : tensor<?xf32>
  %2 = tensor.insert_slice %x into %weight[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// A slice may be read after its tensor was updated: the update gets a copy.
// CHECK-LABEL: @sliced
// CHECK: %[[SUMS:.+]] = linalg.generic
// CHECK: %[[VIEW:.+]] = tensor.expand_shape %[[SUMS]]
// CHECK: tensor.extract_slice %[[VIEW]]
// CHECK: %[[COPY:.+]] = linalg.generic {{.*}} ins(%[[SUMS]] : tensor<8xf32>)
// CHECK: tensor.insert_slice %{{.+}} into %[[COPY]]
func.func @sliced(%x: tensor<8xf32>, %y: tensor<3xf32>) -> (tensor<1x3xf32>, tensor<8xf32>) {
  %init = tensor.empty() : tensor<8xf32>
  %sums = linalg.generic {indexing_maps = [#place, #place], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %negative = arith.negf %in : f32
    linalg.yield %negative : f32
  } -> tensor<8xf32>
  %row = tensor.expand_shape %sums [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %0 = tensor.extract_slice %row[0, 2] [1, 3] [1, 1] : tensor<1x8xf32> to tensor<1x3xf32>
  %1 = tensor.insert_slice %y into %sums[1] [3] [1] : tensor<3xf32> into tensor<8xf32>
  return %0, %1 : tensor<1x3xf32>, tensor<8xf32>
}
