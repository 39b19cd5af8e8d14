// RUN: myjit opt --level global --passes fuse-rows --split-input-file %s | filecheck %s

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#turned = affine_map<(i, j) -> (j, i)>

// Two sums of the same rows, and what lies between: one region, of which others read two results. What does not
// depend on it comes first, what reads it after it.
// CHECK: @centred
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x16xf32>
// CHECK: linalg.fill
// CHECK: math.exp
// CHECK: %[[REGION:.*]]:2 = flow.dispatch.region -> (tensor<8x16xf32>, tensor<8xf32>)
// CHECK: arith.addf
// CHECK: %[[CENTRED:.*]] = linalg.generic
// CHECK: arith.subf
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: arith.mulf
// CHECK: flow.return %[[CENTRED]], %[[SUM]]
// CHECK: %[[TURNED:.*]] = linalg.generic {{.*}} ins(%[[REGION]]#0 :
// CHECK: util.return %[[REGION]]#1, %[[TURNED]]
util.func public @centred(%x: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<16x8xf32>, tensor<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %full = tensor.empty() : tensor<8x16xf32>
  %centred = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<8x16xf32>, tensor<8xf32>) outs(%full : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.subf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8x16xf32>
  %across = tensor.empty() : tensor<16x8xf32>
  %turned = linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]} ins(%centred : tensor<8x16xf32>) outs(%across : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<16x8xf32>
  %other = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%full : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<8x16xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%centred : tensor<8x16xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.mulf %a, %a : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  util.return %squares, %turned, %other : tensor<8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#turned = affine_map<(i, j) -> (j, i)>

// The second sum is one of columns of the first tensor: nothing goes by rows from end to end.
// CHECK: @crossed
// CHECK-NOT: flow.dispatch.region
util.func public @crossed(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %full = tensor.empty() : tensor<8x8xf32>
  %centred = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<8x8xf32>, tensor<8xf32>) outs(%full : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.subf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  %squares = linalg.generic {indexing_maps = [#turned, #row], iterator_types = ["parallel", "reduction"]} ins(%centred : tensor<8x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  util.return %squares : tensor<8xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// One reduction, and rows of unknown length, are IREE's own.
// CHECK: @one
// CHECK-NOT: flow.dispatch.region
util.func public @one(%x: tensor<8x?xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x?xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %greatest = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %sum : tensor<8x?xf32>, tensor<8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32, %b: f32):
    %1 = arith.mulf %a, %s : f32
    %2 = arith.maximumf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  util.return %sum, %greatest : tensor<8xf32>, tensor<8xf32>
}

// -----

#all = affine_map<(d, r) -> (d, r)>
#row = affine_map<(d, r) -> (d)>

// What is added up is read once more: IREE would write it to memory.
// CHECK: @weighted
// CHECK: %[[REGION:.*]] = flow.dispatch.region -> (tensor<64x16xf32>)
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.subf
// CHECK: util.return %[[REGION]]
util.func public @weighted(%x: tensor<64x16xf32>, %y: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %full = tensor.empty() : tensor<64x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %product = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<64x16xf32>, tensor<64x16xf32>) outs(%full : tensor<64x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<64x16xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%product : tensor<64x16xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %less = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%product, %sum : tensor<64x16xf32>, tensor<64xf32>) outs(%full : tensor<64x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.subf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<64x16xf32>
  util.return %less : tensor<64x16xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Rows of two tensors, each by their own sum, are added up together: one region.
// CHECK: @together
// CHECK: %[[REGION:.*]] = flow.dispatch.region -> (tensor<8xf32>)
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: math.fma
// CHECK: flow.return
// CHECK: util.return %[[REGION]]
util.func public @together(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %one = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %other = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<8x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %full = tensor.empty() : tensor<8x8xf32>
  %both = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %one, %other : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%full : tensor<8x8xf32>) {
  ^bb0(%a: f32, %s: f32, %t: f32, %c: f32):
    %1 = math.fma %a, %s, %t : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%both : tensor<8x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  util.return %sum : tensor<8xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The second sum is read by columns as well: it has to be there first.
// CHECK: @apart
// CHECK: %[[OTHER:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8x8xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK: flow.dispatch.region
util.func public @apart(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %one = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %other = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<8x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %full = tensor.empty() : tensor<8x8xf32>
  %both = linalg.generic {indexing_maps = [#all, #row, affine_map<(i, j) -> (j)>, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %one, %other : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%full : tensor<8x8xf32>) {
  ^bb0(%a: f32, %s: f32, %t: f32, %c: f32):
    %1 = math.fma %a, %s, %t : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%both : tensor<8x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  util.return %sum : tensor<8xf32>
}

// -----

#all = affine_map<(n, c, i) -> (n, c, i)>
#row = affine_map<(n, c, i) -> (c)>

// Rows are what a batch norm adds up: pieces of each image.
// CHECK: @pieces
// CHECK: %[[REGION:.*]] = flow.dispatch.region -> (tensor<4x64x16xf32>)
// CHECK: arith.addf
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.divf
// CHECK: util.return %[[REGION]]
util.func public @pieces(%x: tensor<4x64x16xf32>) -> tensor<4x64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %full = tensor.empty() : tensor<4x64x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<4x64x16xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %centred = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<4x64x16xf32>, tensor<64xf32>) outs(%full : tensor<4x64x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.subf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4x64x16xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%centred : tensor<4x64x16xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.mulf %a, %a : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%centred, %squares : tensor<4x64x16xf32>, tensor<64xf32>) outs(%full : tensor<4x64x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4x64x16xf32>
  util.return %scaled : tensor<4x64x16xf32>
}

// -----

#all = affine_map<(n, c) -> (n, c)>
#column = affine_map<(n, c) -> (c)>

// What is added up down the columns lies apart: kernels that go through memory in one piece are faster.
// CHECK: @columns
// CHECK-NOT: flow.dispatch.region
util.func public @columns(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<64x64xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %squares = linalg.generic {indexing_maps = [#all, #column, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x, %sum : tensor<64x64xf32>, tensor<64xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%a: f32, %s: f32, %b: f32):
    %1 = arith.subf %a, %s : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  util.return %squares : tensor<64xf32>
}
