// RUN: myjit opt %s -p channels-last --level linalg | filecheck %s
// RUN: myjit opt %s -p channels-last,convolutions-to-products --level linalg | filecheck %s --check-prefix=PRODUCT

// The padding and the bias are made with the channels last, and what follows gets them first again.
// CHECK-LABEL: @dense
// CHECK-SAME: %[[X:.*]]: tensor<1x8x6x6xf32>, %[[W:.*]]: tensor<4x8x3x3xf32>, %[[B:.*]]: tensor<4xf32>
// CHECK: %[[K:.*]] = linalg.transpose ins(%[[W]] {{.*}} permutation = [0, 2, 3, 1]
// CHECK: %[[LAST:.*]] = linalg.transpose ins(%[[X]] {{.*}} permutation = [0, 2, 3, 1]
// CHECK: %[[PAD:.*]] = tensor.pad %[[LAST]] low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: %[[BIAS:.*]] = linalg.broadcast ins(%[[B]] {{.*}} dimensions = [0, 1, 2]
// CHECK: %[[R:.*]] = linalg.conv_2d_nhwc_fhwc {{.*}} ins(%[[PAD]], %[[K]] : {{.*}} outs(%[[BIAS]] :
// CHECK: linalg.transpose ins(%[[R]] {{.*}} permutation = [0, 3, 1, 2]
// CHECK-NOT: nchw

// The rows are pixels, and a row holds the pixel's patch.
// PRODUCT-LABEL: @dense
// PRODUCT: %[[PATCHES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x6x6x3x3x8xf32>)
// PRODUCT: %[[ROWS:.*]] = tensor.collapse_shape %[[PATCHES]] {{.*}} into tensor<36x72xf32>
// PRODUCT: %[[K:.*]] = tensor.collapse_shape %{{.*}} into tensor<4x72xf32>
// PRODUCT: linalg.matmul indexing_maps = {{.*}} ins(%[[ROWS]], %[[K]] :
// PRODUCT: tensor.expand_shape {{.*}} into tensor<1x6x6x4xf32>
func.func @dense(%x: tensor<1x8x6x6xf32>, %w: tensor<4x8x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x6x6xf32> to tensor<1x8x8x8xf32>
  %e = tensor.empty() : tensor<1x4x6x6xf32>
  %i = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<1x4x6x6xf32>) dimensions = [0, 2, 3]
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%p, %w : tensor<1x8x8x8xf32>, tensor<4x8x3x3xf32>) outs(%i : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// The kernel is turned by arithmetic, so that it stays turned; the pooling goes along.
// CHECK-LABEL: @depthwise
// CHECK: %[[K:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x3x4xf32>)
// CHECK: arith.addf
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc {{.*}} ins(%{{.*}}, %[[K]] :
// CHECK: linalg.pooling_nhwc_max
// PRODUCT-LABEL: @depthwise
// PRODUCT: linalg.depthwise_conv_2d_nhwc_hwc
func.func @depthwise(%x: tensor<1x4x8x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x6x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x4x8x8xf32>, tensor<4x3x3xf32>) outs(%i : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %f = tensor.empty() : tensor<1x4x3x3xf32>
  %j = linalg.fill ins(%zero : f32) outs(%f : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  %1 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%0, %window : tensor<1x4x6x6xf32>, tensor<2x2xf32>) outs(%j : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return %1 : tensor<1x4x3x3xf32>
}

// Few channels in overlapping patches: direct loops. Without a convolution, poolings stay.
// CHECK-LABEL: @few
// CHECK: linalg.conv_2d_nhwc_hwcf
// PRODUCT-LABEL: @few
// PRODUCT: linalg.conv_2d_nhwc_hwcf
func.func @few(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %i: tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) outs(%i : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// CHECK-LABEL: @pooling
// CHECK: linalg.pooling_nchw_max
func.func @pooling(%x: tensor<1x4x6x6xf32>, %window: tensor<2x2xf32>, %i: tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %0 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %window : tensor<1x4x6x6xf32>, tensor<2x2xf32>) outs(%i : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return %0 : tensor<1x4x3x3xf32>
}

// A pixel at a time, of sizes that only the caller knows: a product of the image as it lies.
// CHECK-LABEL: @dynamic
// CHECK: linalg.conv_2d_nchw_fchw
// PRODUCT-LABEL: @dynamic
// PRODUCT-NOT: linalg.transpose
// PRODUCT: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]
func.func @dynamic(%x: tensor<?x8x?x?xf32>, %w: tensor<4x8x1x1xf32>, %i: tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<?x8x?x?xf32>, tensor<4x8x1x1xf32>) outs(%i : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  return %0 : tensor<?x4x?x?xf32>
}
