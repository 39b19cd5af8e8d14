// RUN: myjit opt %s -p separate-widened --level global --split-input-file | filecheck %s
// RUN: myjit opt %s -p 'separate-widened{cpu=true}' --level global --split-input-file | filecheck %s --check-prefix=CPU

#same = affine_map<(i) -> (i)>

// A slice of wider numbers: they are computed before.
// CPU-LABEL: @sliced
// CPU-NOT: compute_barrier
// CHECK-LABEL: @sliced
// CHECK: %[[WIDE:.+]] = linalg.generic
// CHECK: %[[TWICE:.+]] = linalg.generic {{.*}} ins(%[[WIDE]] : tensor<8xi64>)
// CHECK: %[[READY:.+]] = iree_tensor_ext.compute_barrier.start %[[TWICE]]
// CHECK: tensor.extract_slice %[[READY]]
util.func public @sliced(%x: tensor<8xi32>) -> tensor<3xi64> {
  %out = tensor.empty() : tensor<8xi64>
  %wide = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%x : tensor<8xi32>) outs(%out : tensor<8xi64>) {
  ^bb0(%a: i32, %b: i64):
    %0 = arith.extsi %a : i32 to i64
    linalg.yield %0 : i64
  } -> tensor<8xi64>
  %twice = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%wide : tensor<8xi64>) outs(%out : tensor<8xi64>) {
  ^bb0(%a: i64, %b: i64):
    %0 = arith.addi %a, %a : i64
    linalg.yield %0 : i64
  } -> tensor<8xi64>
  %slice = tensor.extract_slice %twice[2] [3] [1] : tensor<8xi64> to tensor<3xi64>
  util.return %slice : tensor<3xi64>
}

// -----

// Windows of wider numbers.
// CHECK-LABEL: @windows
// CHECK: %[[WIDE:.+]] = linalg.generic
// CHECK: %[[READY:.+]] = iree_tensor_ext.compute_barrier.start %[[WIDE]] : tensor<?xf32>{%{{.+}}} -> tensor<?xf32>
// CHECK: linalg.generic {{.*}} ins(%[[READY]] : tensor<?xf32>)
util.func public @windows(%x: tensor<?xf16>, %n: index) -> tensor<3x2xf32> {
  %out = tensor.empty(%n) : tensor<?xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf16>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f16, %b: f32):
    %0 = arith.extf %a : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %all = tensor.empty() : tensor<3x2xf32>
  %windows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 2 + j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%wide : tensor<?xf32>) outs(%all : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<3x2xf32>
  util.return %windows : tensor<3x2xf32>
}

// -----

// As wide as what they are computed from: nothing to do.
// CHECK-LABEL: @as_wide
// CHECK-NOT: compute_barrier
util.func public @as_wide(%x: tensor<8xf32>) -> tensor<3xf32> {
  %out = tensor.empty() : tensor<8xf32>
  %twice = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %slice = tensor.extract_slice %twice[2] [3] [1] : tensor<8xf32> to tensor<3xf32>
  util.return %slice : tensor<3xf32>
}

// -----

#same = affine_map<(i, j) -> (i, j)>

// Wider numbers that one reads across, and another as they lie.
// CHECK-LABEL: @across
// CHECK: %[[WIDE:.+]] = linalg.generic
// CHECK: %[[READY:.+]] = iree_tensor_ext.compute_barrier.start %[[WIDE]]
// CHECK: linalg.generic {{.*}} ins(%[[READY]] : tensor<8x6xf32>)
// CHECK: util.return %[[READY]]
util.func public @across(%x: tensor<8x6xf16>) -> (tensor<8x6xf32>, tensor<6x8xf32>) {
  %out = tensor.empty() : tensor<8x6xf32>
  %turned = tensor.empty() : tensor<6x8xf32>
  %wide = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x6xf16>) outs(%out : tensor<8x6xf32>) {
  ^bb0(%a: f16, %b: f32):
    %0 = arith.extf %a : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<8x6xf32>
  %across = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, #same], iterator_types = ["parallel", "parallel"]} ins(%wide : tensor<8x6xf32>) outs(%turned : tensor<6x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<6x8xf32>
  util.return %wide, %across : tensor<8x6xf32>, tensor<6x8xf32>
}

// -----

// On CPUs, a slice of what is read as well.
// CPU-LABEL: @slice_and_all
// CPU: %[[WIDE:.+]] = linalg.generic
// CPU: %[[READY:.+]] = iree_tensor_ext.compute_barrier.start %[[WIDE]]
// CPU: tensor.extract_slice %[[READY]]
#alike = affine_map<(i) -> (i)>
util.func public @slice_and_all(%x: tensor<8xi32>) -> (tensor<3xi64>, tensor<8xi64>) {
  %out = tensor.empty() : tensor<8xi64>
  %wide = linalg.generic {indexing_maps = [#alike, #alike], iterator_types = ["parallel"]} ins(%x : tensor<8xi32>) outs(%out : tensor<8xi64>) {
  ^bb0(%a: i32, %b: i64):
    %0 = arith.extsi %a : i32 to i64
    linalg.yield %0 : i64
  } -> tensor<8xi64>
  %slice = tensor.extract_slice %wide[2] [3] [1] : tensor<8xi64> to tensor<3xi64>
  util.return %slice, %wide : tensor<3xi64>, tensor<8xi64>
}

// -----

// And one element of what a view made one dimension of.
// CPU-LABEL: @element_of_view
// CPU: %[[FLAT:.+]] = tensor.collapse_shape
// CPU: %[[READY:.+]] = iree_tensor_ext.compute_barrier.start %[[FLAT]]
// CPU: tensor.extract_slice %[[READY]]
#both = affine_map<(i, j) -> (i, j)>
util.func public @element_of_view(%x: tensor<2x4xi32>) -> tensor<i64> {
  %out = tensor.empty() : tensor<2x4xi64>
  %wide = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x4xi32>) outs(%out : tensor<2x4xi64>) {
  ^bb0(%a: i32, %b: i64):
    %0 = arith.extsi %a : i32 to i64
    linalg.yield %0 : i64
  } -> tensor<2x4xi64>
  %flat = tensor.collapse_shape %wide [[0, 1]] : tensor<2x4xi64> into tensor<8xi64>
  %element = tensor.extract_slice %flat[3] [1] [1] : tensor<8xi64> to tensor<i64>
  util.return %element : tensor<i64>
}

// -----

// And what is written at places.
// CPU-LABEL: @scattered
// CPU: %[[WIDE:.+]] = linalg.generic
// CPU: %[[READY:.+]] = iree_tensor_ext.compute_barrier.start %[[WIDE]]
// CPU: iree_linalg_ext.scatter {{.*}} ins(%[[READY]], %{{.+}} : tensor<8x4xf32>, tensor<8x1xi64>)
#all = affine_map<(i, j) -> (i, j)>
util.func public @scattered(%x: tensor<8x4xf16>, %places: tensor<8x1xi64>, %sums: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %out = tensor.empty() : tensor<8x4xf32>
  %wide = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf16>) outs(%out : tensor<8x4xf32>) {
  ^bb0(%a: f16, %b: f32):
    %0 = arith.extf %a : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  %added = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false) ins(%wide, %places : tensor<8x4xf32>, tensor<8x1xi64>) outs(%sums : tensor<3x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    iree_linalg_ext.yield %0 : f32
  } -> tensor<3x4xf32>
  util.return %added : tensor<3x4xf32>
}
