// RUN: myjit opt %s -p keep-roundings --level dispatch | filecheck %s
// RUN: myjit opt %s -p 'keep-roundings{float16=true}' --level dispatch | filecheck %s --check-prefix=HALF

#same = affine_map<(i) -> (i)>
#row = affine_map<(i, k) -> (i, k)>
#column = affine_map<(i, k) -> (i)>

// A cast back of what was computed here goes by the bits.
// CHECK-LABEL: @rounded
// CHECK: %[[SHORT:.+]] = arith.truncf %{{.+}} : f32 to bf16
// CHECK: %[[BITS:.+]] = arith.bitcast %[[SHORT]] : bf16 to i16
// CHECK: %[[WIDE:.+]] = arith.extui %[[BITS]] : i16 to i32
// CHECK: %[[UP:.+]] = arith.shli %[[WIDE]], %{{.+}} : i32
// CHECK: arith.bitcast %[[UP]] : i32 to f32
// CHECK-NOT: arith.extf
func.func @rounded(%x: f32) -> f32 {
  %0 = arith.truncf %x : f32 to bf16
  %1 = arith.extf %0 : bf16 to f32
  return %1 : f32
}

// So does one of a loop before; what is read from memory is as it is.
// CHECK-LABEL: @loops
// CHECK: linalg.generic
// CHECK: arith.extf
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK-NOT: arith.extf
// CHECK: arith.extui
func.func @loops(%x: tensor<8xbf16>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %short = tensor.empty() : tensor<8xbf16>
  %rounded = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]} ins(%x, %y : tensor<8xbf16>, tensor<8xf32>) outs(%short : tensor<8xbf16>) {
  ^bb0(%a: bf16, %b: f32, %out: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %0, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<8xbf16>
  %back = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%rounded : tensor<8xbf16>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %back : tensor<8xf32>
}

// Products are left to what knows them.
// CHECK-LABEL: @product
// CHECK: arith.truncf
// CHECK: arith.extf
func.func @product(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %sums: tensor<8xf32>) -> tensor<8xf32> {
  %short = tensor.empty() : tensor<8x4xbf16>
  %rounded = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf32>) outs(%short : tensor<8x4xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<8x4xbf16>
  %product = linalg.generic {indexing_maps = [#row, #row, #column], iterator_types = ["parallel", "reduction"]} ins(%rounded, %y : tensor<8x4xbf16>, tensor<8x4xf32>) outs(%sums : tensor<8xf32>) {
  ^bb0(%a: bf16, %b: f32, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.addf %1, %out : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %product : tensor<8xf32>
}

// Float16's casts are kept by the code generator for CPUs.
// HALF-LABEL: @float16
// HALF: arith.truncf
// HALF: arith.bitcast %{{.+}} : f16 to i16
// HALF: arith.uitofp
// HALF: arith.select
// HALF-NOT: arith.extf
// CHECK-LABEL: @float16
// CHECK: arith.extf %{{.+}} : f16 to f32
func.func @float16(%x: f32) -> f32 {
  %0 = arith.truncf %x : f32 to f16
  %1 = arith.extf %0 : f16 to f32
  return %1 : f32
}
