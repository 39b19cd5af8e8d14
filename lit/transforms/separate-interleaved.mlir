// RUN: myjit opt --level iree --passes separate-interleaved %s | filecheck %s

// Two parts of each channel, side by side: the product is computed apart, with what follows it. Neither is one
// whose channels go last all together, nor what adds nothing up.
// CHECK: @shuffled
// CHECK: linalg.matmul
// CHECK: %[[SUM:.+]] = linalg.generic
// CHECK: %[[PARTS:.+]] = tensor.expand_shape %[[SUM]]
// CHECK: %[[APART:.+]] = iree_tensor_ext.compute_barrier.start %[[PARTS]]
// CHECK: linalg.transpose ins(%[[APART]]
// CHECK: @others
// CHECK-NOT: compute_barrier
// CHECK: return
#same = affine_map<(d0, d1) -> (d0, d1)>
module attributes {myjit.processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>} {
  func.func @shuffled(%a: tensor<16x8xf32>, %b: tensor<8x40xf32>, %e: tensor<16x40xf32>, %f: tensor<8x40x2xf32>) -> tensor<8x40x2xf32> {
    %0 = linalg.matmul ins(%a, %b : tensor<16x8xf32>, tensor<8x40xf32>) outs(%e : tensor<16x40xf32>) -> tensor<16x40xf32>
    %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<16x40xf32>) outs(%e : tensor<16x40xf32>) {
    ^bb0(%x: f32, %old: f32):
      %n = arith.negf %x : f32
      linalg.yield %n : f32
    } -> tensor<16x40xf32>
    %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [8, 2, 40] : tensor<16x40xf32> into tensor<8x2x40xf32>
    %3 = linalg.transpose ins(%2 : tensor<8x2x40xf32>) outs(%f : tensor<8x40x2xf32>) permutation = [0, 2, 1]
    return %3 : tensor<8x40x2xf32>
  }
  func.func @others(%a: tensor<16x8xf32>, %b: tensor<8x40xf32>, %e: tensor<16x40xf32>, %f: tensor<40x16xf32>, %g: tensor<8x2x40xf32>, %h: tensor<8x40x2xf32>) -> (tensor<40x16xf32>, tensor<8x40x2xf32>) {
    %0 = linalg.matmul ins(%a, %b : tensor<16x8xf32>, tensor<8x40xf32>) outs(%e : tensor<16x40xf32>) -> tensor<16x40xf32>
    %1 = linalg.transpose ins(%0 : tensor<16x40xf32>) outs(%f : tensor<40x16xf32>) permutation = [1, 0]
    %2 = linalg.transpose ins(%g : tensor<8x2x40xf32>) outs(%h : tensor<8x40x2xf32>) permutation = [0, 2, 1]
    return %1, %2 : tensor<40x16xf32>, tensor<8x40x2xf32>
  }
}
