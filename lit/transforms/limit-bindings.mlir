// RUN: myjit opt %s -p "limit-bindings{most=4}" --level global | filecheck %s

#map = affine_map<(a) -> (a)>
#none = affine_map<(a) -> ()>

// The second sum reads three tensors, the third would read four and write one: it reads the second's result.
// CHECK-LABEL: @chain
// CHECK: linalg.generic
// CHECK: %[[SECOND:[a-z0-9]+]] = linalg.generic
// CHECK: %[[APART:[a-z0-9]+]] = iree_tensor_ext.compute_barrier.start %[[SECOND]]
// CHECK: linalg.generic {{.*}} ins(%[[APART]], %{{.+}} :
// CHECK-NOT: compute_barrier
// CHECK: util.return
util.func public @chain(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %sum = arith.addf %x, %y : f32
    linalg.yield %sum : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%0, %c : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %sum = arith.addf %x, %y : f32
    linalg.yield %sum : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%1, %d : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %sum = arith.addf %x, %y : f32
    linalg.yield %sum : f32
  } -> tensor<8xf32>
  util.return %2 : tensor<8xf32>
}

// One of each kernel's tensors is the other reduction's result: the two are not one kernel.
// CHECK-LABEL: @reductions
// CHECK-NOT: compute_barrier
// CHECK: util.return
util.func public @reductions(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %number = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%number : tensor<f32>) -> tensor<f32>
  %0 = linalg.generic {indexing_maps = [#map, #map, #none], iterator_types = ["reduction"]}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %product = arith.mulf %x, %y : f32
    %sum = arith.addf %product, %out : f32
    linalg.yield %sum : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#map, #none, #map], iterator_types = ["parallel"]}
      ins(%c, %0 : tensor<8xf32>, tensor<f32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %sum = arith.addf %x, %y : f32
    linalg.yield %sum : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map, #none], iterator_types = ["reduction"]}
      ins(%1, %a : tensor<8xf32>, tensor<8xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %product = arith.mulf %x, %y : f32
    %sum = arith.addf %product, %out : f32
    linalg.yield %sum : f32
  } -> tensor<f32>
  util.return %2 : tensor<f32>
}
