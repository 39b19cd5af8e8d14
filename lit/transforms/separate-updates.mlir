// RUN: myjit opt %s -p separate-updates --level iree | filecheck %s

// CHECK-LABEL: @of_itself
// CHECK: %[[SOURCE:.*]] = tensor.extract_slice
// CHECK: %[[APART:.*]] = iree_tensor_ext.compute_barrier.start %[[SOURCE]]
// CHECK: tensor.insert_slice %[[APART]]
func.func @of_itself(%f: tensor<9xf32>) -> tensor<9xf32> {
  %a = util.optimization_barrier %f : tensor<9xf32>
  %s = tensor.extract_slice %a[0] [8] [1] : tensor<9xf32> to tensor<8xf32>
  %0 = tensor.insert_slice %s into %a[1] [8] [1] : tensor<8xf32> into tensor<9xf32>
  return %0 : tensor<9xf32>
}

// CHECK-LABEL: @of_another
// CHECK-NOT: compute_barrier
// CHECK: tensor.insert_slice
func.func @of_another(%s: tensor<8xf32>, %c: tensor<4xf32>) -> tensor<9xf32> {
  %a = tensor.empty() : tensor<9xf32>
  %0 = tensor.insert_slice %s into %a[1] [8] [1] : tensor<8xf32> into tensor<9xf32>
  return %0 : tensor<9xf32>
}
