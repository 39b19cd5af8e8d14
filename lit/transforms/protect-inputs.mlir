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
