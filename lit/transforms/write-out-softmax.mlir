// RUN: myjit opt --level global --passes write-out-softmax --split-input-file %s | filecheck %s

// CHECK: @rows
// CHECK: arith.maximumf
// CHECK: arith.subf
// CHECK-NEXT: math.exp
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
// CHECK: arith.divf
// CHECK: arith.mulf
util.func public @rows(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  util.return %0 : tensor<8x16xf32>
}

// -----

// Columns, and rows of unknown length, are IREE's to compute.
// CHECK: @others
// CHECK: linalg.softmax dimension(0)
// CHECK: linalg.softmax dimension(1)
util.func public @others(%x: tensor<8x16xf32>, %y: tensor<8x?xf32>, %f: tensor<8x?xf32>) -> (tensor<8x16xf32>, tensor<8x?xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.softmax dimension(0) ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = linalg.softmax dimension(1) ins(%y : tensor<8x?xf32>) outs(%f : tensor<8x?xf32>) -> tensor<8x?xf32>
  util.return %0, %1 : tensor<8x16xf32>, tensor<8x?xf32>
}
