// RUN: myjit opt --level global --passes pack-contractions --split-input-file %s | filecheck %s
// RUN: myjit opt --level global --passes 'pack-contractions{rows=128}' --split-input-file %s | filecheck %s --check-prefix=MORE
// RUN: not myjit opt --level global --passes 'pack-contractions{row=2}' %s 2>&1 | filecheck %s --check-prefix=BAD
// BAD: 'rows'

#left = affine_map<(m, n, k) -> (m, k)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>

// The function itself is marked, so that IREE marks nothing else in it.
// CHECK: util.func public @linear
// CHECK-SAME: attributes {iree.opt.data_tiling}
// CHECK: linalg.matmul {{.*}}{iree.opt.data_tiling}
// MORE: util.func public @linear
// MORE-SAME: attributes {iree.opt.data_tiling}
// MORE: linalg.matmul
// MORE-NOT: data_tiling
// MORE: @short
util.func public @linear(%a: tensor<96x768xf32>, %b: tensor<768x768xf32>, %c: tensor<96x768xf32>) -> tensor<96x768xf32> {
  %0 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%a, %b : tensor<96x768xf32>, tensor<768x768xf32>) outs(%c : tensor<96x768xf32>) -> tensor<96x768xf32>
  util.return %0 : tensor<96x768xf32>
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>

// Short sums do not pay for the packing, unless the rows are odd.
// CHECK: @short
// CHECK: linalg.matmul indexing_maps = {{.*}}] ins({{.*}}tensor<128x64xf32>
// CHECK: linalg.matmul {{.*}}{iree.opt.data_tiling} ins({{.*}}tensor<197x64xf32>
util.func public @short(%a: tensor<128x64xf32>, %b: tensor<128x64xf32>, %c: tensor<128x128xf32>, %d: tensor<197x64xf32>, %e: tensor<197x128xf32>)
    -> (tensor<128x128xf32>, tensor<197x128xf32>) {
  %0 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%a, %b : tensor<128x64xf32>, tensor<128x64xf32>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  %1 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%d, %b : tensor<197x64xf32>, tensor<128x64xf32>) outs(%e : tensor<197x128xf32>) -> tensor<197x128xf32>
  util.return %0, %1 : tensor<128x128xf32>, tensor<197x128xf32>
}

// -----

// Rows that vectors go along are multiplied where they lie; odd and long ones are packed.
// CHECK: @row_by_row
// CHECK: linalg.matmul ins({{.*}}tensor<64x32xf32>
// CHECK: linalg.matmul {iree.opt.data_tiling} ins({{.*}}tensor<64x33xf32>
// CHECK: linalg.matmul {iree.opt.data_tiling} ins({{.*}}tensor<64x768xf32>
util.func public @row_by_row(%a: tensor<128x64xf32>, %b: tensor<64x32xf32>, %c: tensor<128x32xf32>, %d: tensor<64x33xf32>, %e: tensor<128x33xf32>, %f: tensor<64x768xf32>, %g: tensor<128x768xf32>)
    -> (tensor<128x32xf32>, tensor<128x33xf32>, tensor<128x768xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<128x64xf32>, tensor<64x32xf32>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  %1 = linalg.matmul ins(%a, %d : tensor<128x64xf32>, tensor<64x33xf32>) outs(%e : tensor<128x33xf32>) -> tensor<128x33xf32>
  %2 = linalg.matmul ins(%a, %f : tensor<128x64xf32>, tensor<64x768xf32>) outs(%g : tensor<128x768xf32>) -> tensor<128x768xf32>
  util.return %0, %1, %2 : tensor<128x32xf32>, tensor<128x33xf32>, tensor<128x768xf32>
}

// -----

// A weight is packed once, when the module is loaded: that pays from fewer rows on.
// CHECK: @weight
// CHECK: linalg.matmul {iree.opt.data_tiling} ins(%{{.*}}, %[[W:.*]] :
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<32x64xf32>
util.global private @parameter_0 = #flow.parameter.named<"model"::"w"> : tensor<64x32xf32>
util.func public @weight(%a: tensor<32x64xf32>, %b: tensor<64x32xf32>, %c: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %w = util.global.load @parameter_0 : tensor<64x32xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<32x64xf32>, tensor<64x32xf32>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<32x64xf32>, tensor<64x32xf32>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  util.return %0, %1 : tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(m, n) -> (m, n)>

// What feeds a packed product is packed too, through plain loops and reshapes.
// CHECK: @chain
// CHECK: linalg.batch_matmul {iree.opt.data_tiling}
// CHECK: linalg.matmul {{.*}}{iree.opt.data_tiling}
util.func public @chain(%a: tensor<1x99x16xf32>, %b: tensor<1x16x64xf32>, %c: tensor<1x99x64xf32>, %w: tensor<32x64xf32>, %d: tensor<99x32xf32>, %e: tensor<99x64xf32>) -> tensor<99x32xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<1x99x16xf32>, tensor<1x16x64xf32>) outs(%c : tensor<1x99x64xf32>) -> tensor<1x99x64xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<1x99x64xf32> into tensor<99x64xf32>
  %2 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<99x64xf32>) outs(%e : tensor<99x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %4 = arith.negf %x : f32
    linalg.yield %4 : f32
  } -> tensor<99x64xf32>
  %3 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%2, %w : tensor<99x64xf32>, tensor<32x64xf32>) outs(%d : tensor<99x32xf32>) -> tensor<99x32xf32>
  util.return %3 : tensor<99x32xf32>
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(m, n) -> (m, n)>

// What meets booleans element by element stays as it is: IREE refuses to pack those.
// CHECK: @dropped
// CHECK: linalg.matmul indexing_maps = {{.*}}] ins({{.*}}tensor<768x768xf32>
// CHECK: linalg.matmul {{.*}}{iree.opt.data_tiling}
util.func public @dropped(%a: tensor<96x768xf32>, %b: tensor<768x768xf32>, %c: tensor<96x768xf32>, %mask: tensor<1x96x768xi1>) -> tensor<96x768xf32> {
  %0 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%a, %b : tensor<96x768xf32>, tensor<768x768xf32>) outs(%c : tensor<96x768xf32>) -> tensor<96x768xf32>
  %kept = tensor.collapse_shape %mask [[0, 1], [2]] : tensor<1x96x768xi1> into tensor<96x768xi1>
  %1 = linalg.generic {indexing_maps = [#same, #same, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%0, %a, %kept : tensor<96x768xf32>, tensor<96x768xf32>, tensor<96x768xi1>) outs(%c : tensor<96x768xf32>) {
  ^bb0(%x: f32, %y: f32, %keep: i1, %z: f32):
    %4 = arith.select %keep, %x, %y : f32
    linalg.yield %4 : f32
  } -> tensor<96x768xf32>
  %2 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%1, %b : tensor<96x768xf32>, tensor<768x768xf32>) outs(%c : tensor<96x768xf32>) -> tensor<96x768xf32>
  util.return %2 : tensor<96x768xf32>
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(m, n) -> (m, n)>

// A product that is only added to a packed one is packed too; one that is used elsewhere stays.
// CHECK: @beside
// CHECK: linalg.matmul indexing_maps = {{.*}}] ins({{.*}}tensor<64x32xf32>
// CHECK: linalg.matmul {{.*}}{iree.opt.data_tiling} ins({{.*}}tensor<64x16xf32>
// CHECK: linalg.matmul {{.*}}{iree.opt.data_tiling} ins({{.*}}tensor<64x768xf32>
util.global private @long = #flow.parameter.named<"model"::"w"> : tensor<768x768xf32>
util.func public @beside(%a: tensor<64x32xf32>, %b: tensor<768x32xf32>, %c: tensor<64x768xf32>, %d: tensor<64x16xf32>, %e: tensor<768x16xf32>) -> (tensor<64x768xf32>, tensor<64x768xf32>) {
  %w = util.global.load @long : tensor<768x768xf32>
  %0 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%a, %b : tensor<64x32xf32>, tensor<768x32xf32>) outs(%c : tensor<64x768xf32>) -> tensor<64x768xf32>
  %1 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%d, %e : tensor<64x16xf32>, tensor<768x16xf32>) outs(%c : tensor<64x768xf32>) -> tensor<64x768xf32>
  %2 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<64x768xf32>) outs(%c : tensor<64x768xf32>) {
  ^bb0(%x: f32, %z: f32):
    %5 = arith.negf %x : f32
    linalg.yield %5 : f32
  } -> tensor<64x768xf32>
  %3 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%c, %w : tensor<64x768xf32>, tensor<768x768xf32>) outs(%c : tensor<64x768xf32>) -> tensor<64x768xf32>
  %4 = linalg.generic {indexing_maps = [#same, #same, #same, #same], iterator_types = ["parallel", "parallel"]} ins(%3, %2, %0 : tensor<64x768xf32>, tensor<64x768xf32>, tensor<64x768xf32>) outs(%c : tensor<64x768xf32>) {
  ^bb0(%x: f32, %y: f32, %v: f32, %z: f32):
    %5 = arith.addf %x, %y : f32
    %6 = arith.addf %5, %v : f32
    linalg.yield %6 : f32
  } -> tensor<64x768xf32>
  util.return %4, %0 : tensor<64x768xf32>, tensor<64x768xf32>
}

// -----

// Half types and sizes that are not known stay as they are.
// CHECK: @others
// CHECK: linalg.matmul ins
// CHECK: linalg.matmul ins
util.func public @others(%a: tensor<128x64xf16>, %b: tensor<64x33xf16>, %c: tensor<128x33xf16>, %d: tensor<?x64xf32>, %e: tensor<64x33xf32>, %f: tensor<?x33xf32>) -> (tensor<128x33xf16>, tensor<?x33xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<128x64xf16>, tensor<64x33xf16>) outs(%c : tensor<128x33xf16>) -> tensor<128x33xf16>
  %1 = linalg.matmul ins(%d, %e : tensor<?x64xf32>, tensor<64x33xf32>) outs(%f : tensor<?x33xf32>) -> tensor<?x33xf32>
  util.return %0, %1 : tensor<128x33xf16>, tensor<?x33xf32>
}

// -----

#down = affine_map<(m, n, k) -> (k, m)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>

// A transposed left side: the gradient of a weight.
// CHECK: @gradient
// CHECK: linalg.matmul {{.*}}{iree.opt.data_tiling}
util.func public @gradient(%a: tensor<64x128xf32>, %b: tensor<64x32xf32>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  %0 = linalg.matmul indexing_maps = [#down, #right, #result] ins(%a, %b : tensor<64x128xf32>, tensor<64x32xf32>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  util.return %0 : tensor<128x32xf32>
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#across = affine_map<(m, n, k) -> (k, m)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>

// Of few columns a side is read as often as packing would read it.
// CHECK: @few_columns
// CHECK-COUNT-2: linalg.matmul indexing_maps = {{.*}}] ins(
util.func public @few_columns(%a: tensor<1024x768xf32>, %b: tensor<2x768xf32>, %c: tensor<1024x2xf32>, %d: tensor<1024x1xf32>, %e: tensor<768x1xf32>)
    -> (tensor<1024x2xf32>, tensor<768x1xf32>) {
  %0 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%a, %b : tensor<1024x768xf32>, tensor<2x768xf32>) outs(%c : tensor<1024x2xf32>) -> tensor<1024x2xf32>
  %1 = linalg.matmul indexing_maps = [#across, #right, #result] ins(%a, %d : tensor<1024x768xf32>, tensor<1024x1xf32>) outs(%e : tensor<768x1xf32>) -> tensor<768x1xf32>
  util.return %0, %1 : tensor<1024x2xf32>, tensor<768x1xf32>
}
