// RUN: myjit opt --level global --passes reduce-with-producer --split-input-file %s | filecheck %s

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// What is read twice is computed once, and added up on the way.
// CHECK: @exponentials
// CHECK: flow.dispatch.region
// CHECK-NEXT: %[[BOTH:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK: math.exp
// CHECK-NEXT: arith.addf
// CHECK-NEXT: linalg.yield {{.*}} : f32, f32
// CHECK: flow.return %[[BOTH]]#1, %[[BOTH]]#0
util.func public @exponentials(%x: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %full = tensor.empty() : tensor<8x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %0:2 = flow.dispatch.region -> (tensor<8xf32>, tensor<8x16xf32>) {
    %grown = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%full : tensor<8x16xf32>) {
    ^bb0(%a: f32, %b: f32):
      %1 = math.exp %a : f32
      linalg.yield %1 : f32
    } -> tensor<8x16xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%grown : tensor<8x16xf32>) outs(%start : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    flow.return %sum, %grown : tensor<8xf32>, tensor<8x16xf32>
  }
  util.return %0#0, %0#1 : tensor<8xf32>, tensor<8x16xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// What only the sum reads, IREE fuses into it; what costs nothing may be computed twice.
// CHECK: @sums
// CHECK: math.exp
// CHECK-NEXT: linalg.yield
// CHECK: @cheap
// CHECK: arith.negf
// CHECK-NEXT: linalg.yield
util.func public @sums(%x: tensor<8x16xf32>) -> (tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %full = tensor.empty() : tensor<8x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %0 = flow.dispatch.region -> (tensor<8xf32>) {
    %grown = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%full : tensor<8x16xf32>) {
    ^bb0(%a: f32, %b: f32):
      %1 = math.exp %a : f32
      linalg.yield %1 : f32
    } -> tensor<8x16xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%grown : tensor<8x16xf32>) outs(%start : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    flow.return %sum : tensor<8xf32>
  }
  util.return %0 : tensor<8xf32>
}

util.func public @cheap(%x: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %full = tensor.empty() : tensor<8x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %0:2 = flow.dispatch.region -> (tensor<8xf32>, tensor<8x16xf32>) {
    %grown = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%full : tensor<8x16xf32>) {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.negf %a : f32
      linalg.yield %1 : f32
    } -> tensor<8x16xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%grown : tensor<8x16xf32>) outs(%start : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    flow.return %sum, %grown : tensor<8xf32>, tensor<8x16xf32>
  }
  util.return %0#0, %0#1 : tensor<8xf32>, tensor<8x16xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// What it is computed of counts as well.
// CHECK: @made_of_exponentials
// CHECK: math.exp
// CHECK: iterator_types = ["parallel", "reduction"]}
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: linalg.yield {{.*}} : f32, f32
util.func public @made_of_exponentials(%x: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %full = tensor.empty() : tensor<8x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %0:2 = flow.dispatch.region -> (tensor<8xf32>, tensor<8x16xf32>) {
    %grown = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%full : tensor<8x16xf32>) {
    ^bb0(%a: f32, %b: f32):
      %1 = math.exp %a : f32
      linalg.yield %1 : f32
    } -> tensor<8x16xf32>
    %scaled = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%x, %grown : tensor<8x16xf32>, tensor<8x16xf32>) outs(%full : tensor<8x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %1 = arith.mulf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<8x16xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%scaled : tensor<8x16xf32>) outs(%start : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    flow.return %sum, %scaled : tensor<8xf32>, tensor<8x16xf32>
  }
  util.return %0#0, %0#1 : tensor<8xf32>, tensor<8x16xf32>
}
