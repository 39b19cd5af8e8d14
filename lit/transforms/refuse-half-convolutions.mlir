// RUN: myjit opt %s -p refuse-half-convolutions --level iree --split-input-file --verify-diagnostics

func.func @half(%x: tensor<1x4x8x8xf16>, %w: tensor<4x4x1x1xf16>, %init: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  // expected-error@+1 {{convolutions of half types come out wrong here}}
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x8x8xf16>, tensor<4x4x1x1xf16>)
      outs(%init : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// -----

func.func @single_channels(%x: tensor<1x4x8x8xbf16>, %w: tensor<4x3x3xbf16>, %init: tensor<1x4x6x6xbf16>) -> tensor<1x4x6x6xbf16> {
  // expected-error@+1 {{convolutions of half types come out wrong here}}
  %0 = linalg.depthwise_conv_2d_nchw_chw ins(%x, %w : tensor<1x4x8x8xbf16>, tensor<4x3x3xbf16>)
      outs(%init : tensor<1x4x6x6xbf16>) -> tensor<1x4x6x6xbf16>
  return %0 : tensor<1x4x6x6xbf16>
}

// -----

func.func @whole(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>, %init: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>)
      outs(%init : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}
