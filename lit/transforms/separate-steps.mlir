// RUN: myjit opt --level global --passes separate-steps %s | filecheck %s

// Columns in steps are computed apart; rows in steps, and few numbers, are not.
// CHECK: %[[COLUMNS:.+]] = tensor.extract_slice {{.*}} [1, 2]
// CHECK-NEXT: %[[APART:.+]] = iree_tensor_ext.compute_barrier.start %[[COLUMNS]]
// CHECK: math.exp
// CHECK: tensor.extract_slice {{.*}} [2, 1]
// CHECK-NOT: compute_barrier
// CHECK: tensor.extract_slice {{.*}} [1, 2]
// CHECK-NOT: compute_barrier
// CHECK: util.return
module attributes {myjit.processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>} {
  util.func @main(%x: tensor<64x64xf32>) -> (tensor<64x32xf32>, tensor<32x64xf32>, tensor<4x32xf32>) {
    %columns = tensor.extract_slice %x[0, 0] [64, 32] [1, 2] : tensor<64x64xf32> to tensor<64x32xf32>
    %exp = math.exp %columns : tensor<64x32xf32>
    %rows = tensor.extract_slice %x[0, 0] [32, 64] [2, 1] : tensor<64x64xf32> to tensor<32x64xf32>
    %few = tensor.extract_slice %x[0, 0] [4, 32] [1, 2] : tensor<64x64xf32> to tensor<4x32xf32>
    util.return %exp, %rows, %few : tensor<64x32xf32>, tensor<32x64xf32>, tensor<4x32xf32>
  }
}
