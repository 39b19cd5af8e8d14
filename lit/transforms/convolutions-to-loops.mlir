// RUN: myjit opt %s -p convolutions-to-loops --level iree --split-input-file | filecheck %s

// Each number of an image meets those of the kernel where its windows are.
// CHECK: #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 + d6 * 3)>
// CHECK: #[[KERNEL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK: #[[RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK: module attributes {myjit.convolutions
// CHECK-LABEL: @dense
// CHECK: linalg.generic {indexing_maps = [#[[IMAGE]], #[[KERNEL]], #[[RESULT]]]
// CHECK-SAME: "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"
// CHECK-NOT: linalg.conv
#processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>
module attributes {myjit.processor = #processor} {
  func.func @dense(%x: tensor<1x8x13x12xf32>, %w: tensor<20x8x3x3xf32>, %init: tensor<1x20x6x6xf32>) -> tensor<1x20x6x6xf32> {
    %0 = linalg.conv_2d_nchw_fchw {strides = dense<[2, 1]> : vector<2xi64>, dilations = dense<[1, 3]> : vector<2xi64>}
        ins(%x, %w : tensor<1x8x13x12xf32>, tensor<20x8x3x3xf32>) outs(%init : tensor<1x20x6x6xf32>) -> tensor<1x20x6x6xf32>
    return %0 : tensor<1x20x6x6xf32>
  }
}

// -----

// Beside convolutions of single channels they wait for the channels to be last.
// CHECK-LABEL: @beside_single_channels
// CHECK: linalg.depthwise_conv_2d_nchw_chw
// CHECK: linalg.conv_2d_nchw_fchw
#processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>
module attributes {myjit.processor = #processor} {
  func.func @beside_single_channels(%x: tensor<1x8x9x9xf32>, %v: tensor<8x3x3xf32>, %w: tensor<20x8x3x3xf32>, %middle: tensor<1x8x7x7xf32>, %init: tensor<1x20x5x5xf32>) -> tensor<1x20x5x5xf32> {
    %0 = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
        ins(%x, %v : tensor<1x8x9x9xf32>, tensor<8x3x3xf32>) outs(%middle : tensor<1x8x7x7xf32>) -> tensor<1x8x7x7xf32>
    %1 = linalg.conv_2d_nchw_fchw {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
        ins(%0, %w : tensor<1x8x7x7xf32>, tensor<20x8x3x3xf32>) outs(%init : tensor<1x20x5x5xf32>) -> tensor<1x20x5x5xf32>
    return %1 : tensor<1x20x5x5xf32>
  }
}

// -----

// Windows of bfloat16 with more places than the result give a weight's gradient, whose images are columns too.
// CHECK-LABEL: @of_weight
// CHECK: linalg.transpose {{.*}} permutation = [1, 0, 2, 3]
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<20x8x3x3xf32>)
// CHECK: linalg.transpose {{.*}} permutation = [1, 0, 2, 3]
// CHECK-NOT: linalg.conv
#processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>
module attributes {myjit.processor = #processor, myjit.libraries = ["amx"]} {
  func.func @of_weight(%x: tensor<8x2x9x9xbf16>, %g: tensor<20x2x7x7xbf16>, %init: tensor<8x20x3x3xf32>) -> tensor<8x20x3x3xf32> {
    %0 = linalg.conv_2d_nchw_fchw {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
        ins(%x, %g : tensor<8x2x9x9xbf16>, tensor<20x2x7x7xbf16>) outs(%init : tensor<8x20x3x3xf32>) -> tensor<8x20x3x3xf32>
    return %0 : tensor<8x20x3x3xf32>
  }
}

// -----

// Without vectors they stay: IREE's own code for such loops is slow.
// CHECK-LABEL: @no_vectors
// CHECK: linalg.conv_2d_nchw_fchw
func.func @no_vectors(%x: tensor<1x8x9x9xf32>, %w: tensor<20x8x3x3xf32>, %init: tensor<1x20x7x7xf32>) -> tensor<1x20x7x7xf32> {
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x8x9x9xf32>, tensor<20x8x3x3xf32>) outs(%init : tensor<1x20x7x7xf32>) -> tensor<1x20x7x7xf32>
  return %0 : tensor<1x20x7x7xf32>
}

// -----

// Those of bfloat16 are written out where AMX adds them up, from windows no more than two steps apart.
// Their images are packed by lines, so those with the channels last are turned before.
// CHECK-LABEL: @halves
// CHECK: linalg.transpose
// CHECK: %[[APART:.*]] = iree_tensor_ext.compute_barrier.start
// CHECK: linalg.generic {{.*}} ins(%[[APART]]
// CHECK: arith.extf
// CHECK: linalg.conv_2d_nchw_fchw
#processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>
module attributes {myjit.processor = #processor, myjit.libraries = ["amx"]} {
  func.func @halves(%last: tensor<1x13x13x8xbf16>, %w: tensor<20x8x3x3xbf16>, %init: tensor<1x20x6x6xf32>) -> tensor<1x20x6x6xf32> {
    %empty = tensor.empty() : tensor<1x8x13x13xbf16>
    %x = linalg.transpose ins(%last : tensor<1x13x13x8xbf16>) outs(%empty : tensor<1x8x13x13xbf16>) permutation = [0, 3, 1, 2]
    %0 = linalg.conv_2d_nchw_fchw {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
        ins(%x, %w : tensor<1x8x13x13xbf16>, tensor<20x8x3x3xbf16>) outs(%init : tensor<1x20x6x6xf32>) -> tensor<1x20x6x6xf32>
    return %0 : tensor<1x20x6x6xf32>
  }
  func.func @far_apart(%x: tensor<1x8x19x19xbf16>, %w: tensor<20x8x4x4xbf16>, %init: tensor<1x20x6x6xf32>) -> tensor<1x20x6x6xf32> {
    %0 = linalg.conv_2d_nchw_fchw {strides = dense<3> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
        ins(%x, %w : tensor<1x8x19x19xbf16>, tensor<20x8x4x4xbf16>) outs(%init : tensor<1x20x6x6xf32>) -> tensor<1x20x6x6xf32>
    return %0 : tensor<1x20x6x6xf32>
  }
}
