// RUN: myjit opt %s -p trim-windows --level iree | filecheck %s

// One window along the third dimension reads three of its four elements; two along the fourth read five of six.
// CHECK-LABEL: @convolution
// CHECK: %[[READ:.+]] = tensor.extract_slice %arg0[0, 0, 0, 0] [2, 3, 3, 6] [1, 1, 1, 1]
// CHECK: linalg.conv_2d_nchw_fchw {{.*}} ins(%[[READ]], %arg1
func.func @convolution(%x: tensor<2x3x4x6xf32>, %w: tensor<4x3x3x3xf32>, %init: tensor<2x4x1x2xf32>) -> tensor<2x4x1x2xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x4x6xf32>, tensor<4x3x3x3xf32>) outs(%init : tensor<2x4x1x2xf32>) -> tensor<2x4x1x2xf32>
  return %0 : tensor<2x4x1x2xf32>
}

// Sizes that change stay as they are.
// CHECK-LABEL: @loops
// CHECK: %[[SIZE:.+]] = tensor.dim %arg0, %{{.+}} : tensor<?x5xf32>
// CHECK: tensor.extract_slice %arg0[0, 0] [%[[SIZE]], 3] [1, 1] : tensor<?x5xf32> to tensor<?x3xf32>
#windows = affine_map<(row, place, step) -> (row, place * 7 + step * 2)>
#steps = affine_map<(row, place, step) -> (step)>
#places = affine_map<(row, place, step) -> (row, place)>
func.func @loops(%x: tensor<?x5xf32>, %kernel: tensor<2xf32>, %init: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %0 = linalg.generic {indexing_maps = [#windows, #steps, #places], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %kernel : tensor<?x5xf32>, tensor<2xf32>) outs(%init : tensor<?x1xf32>) {
  ^bb0(%element: f32, %factor: f32, %sum: f32):
    %product = arith.mulf %element, %factor : f32
    %total = arith.addf %product, %sum : f32
    linalg.yield %total : f32
  } -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// A window that is as long as the dimension.
// CHECK-LABEL: @whole
// CHECK-NOT: tensor.extract_slice
func.func @whole(%x: tensor<2x3x3x3xf32>, %w: tensor<4x3x3x3xf32>, %init: tensor<2x4x1x1xf32>) -> tensor<2x4x1x1xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x3x3xf32>, tensor<4x3x3x3xf32>) outs(%init : tensor<2x4x1x1xf32>) -> tensor<2x4x1x1xf32>
  return %0 : tensor<2x4x1x1xf32>
}
