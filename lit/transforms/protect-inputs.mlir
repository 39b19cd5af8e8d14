// RUN: myjit opt %s -p protect-inputs --level iree | filecheck %s

// CHECK-LABEL: @updates_its_argument
// CHECK: util.optimization_barrier
// CHECK: %[[COPY:.*]] = linalg.generic
// CHECK: linalg.fill {{.*}} outs(%[[COPY]]
func.func @updates_its_argument(%a: tensor<4xf32>, %c: f32) -> tensor<4xf32> {
  %0 = linalg.fill ins(%c : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @updates_its_own
// CHECK-NOT: util.optimization_barrier
// CHECK: %[[EMPTY:.*]] = tensor.empty
// CHECK: linalg.fill {{.*}} outs(%[[EMPTY]]
func.func @updates_its_own(%c: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// To IREE a broadcast along dimensions of size one is a view.
// CHECK-LABEL: @updates_a_broadcast
// CHECK: linalg.broadcast
// CHECK: util.optimization_barrier
// CHECK: %[[COPY:.*]] = linalg.generic
// CHECK: linalg.fill {{.*}} outs(%[[COPY]]
func.func @updates_a_broadcast(%a: tensor<4xf32>, %c: f32) -> tensor<1x4x1xf32> {
  %e = tensor.empty() : tensor<1x4x1xf32>
  %b = linalg.broadcast ins(%a : tensor<4xf32>) outs(%e : tensor<1x4x1xf32>) dimensions = [0, 2]
  %0 = linalg.fill ins(%c : f32) outs(%b : tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

// CHECK-LABEL: @updates_a_larger_broadcast
// CHECK-NOT: util.optimization_barrier
func.func @updates_a_larger_broadcast(%a: tensor<4xf32>, %c: f32) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %b = linalg.broadcast ins(%a : tensor<4xf32>) outs(%e : tensor<4x2xf32>) dimensions = [1]
  %0 = linalg.fill ins(%c : f32) outs(%b : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: @updates_what_is_moved
// CHECK: linalg.generic
// CHECK: util.optimization_barrier
func.func @updates_what_is_moved(%a: tensor<4x1xf32>, %c: f32) -> tensor<1x4xf32> {
  %e = tensor.empty() : tensor<1x4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x1xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x4xf32>
  %0 = linalg.fill ins(%c : f32) outs(%m : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// CHECK-LABEL: @updates_what_is_computed
// CHECK-NOT: util.optimization_barrier
func.func @updates_what_is_computed(%a: tensor<4xf32>, %c: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %0 = linalg.fill ins(%c : f32) outs(%m : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// An argument that the caller gives up.
// CHECK-LABEL: @given_up
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32> {iree.abi.consume}, %{{.*}}: f32)
// CHECK-NOT: util.optimization_barrier
// CHECK: linalg.fill {{.*}} outs(%[[A]]
func.func @given_up(%a: tensor<4xf32> {iree.abi.consume}, %c: f32) -> tensor<4xf32> {
  %0 = linalg.fill ins(%c : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
