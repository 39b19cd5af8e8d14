// RUN: myjit opt --level global --passes write-while-reducing --split-input-file %s | filecheck %s

#whole = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>

// What is written of a difference, and what is added up of it, are one operation.
// CHECK-LABEL: @loss
// CHECK: arith.subf
// CHECK: %[[BOTH:.+]]:2 = linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK: arith.negf
// CHECK: arith.addf
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
util.func public @loss(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>, %zeros: tensor<64xf32>, %empty: tensor<64x128xf32>)
    -> (tensor<64x128xf32>, tensor<64xf32>) {
  %difference = linalg.generic {indexing_maps = [#whole, #whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<64x128xf32>, tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%one: f32, %other: f32, %out: f32):
    %1 = arith.subf %one, %other : f32
    linalg.yield %1 : f32
  } -> tensor<64x128xf32>
  %written = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%difference : tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.negf %in : f32
    linalg.yield %1 : f32
  } -> tensor<64x128xf32>
  %sum = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%difference : tensor<64x128xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %total: f32):
    %1 = arith.addf %in, %total : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  util.return %written, %sum : tensor<64x128xf32>, tensor<64xf32>
}

// -----

#whole = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>

// What other loops read goes on in theirs; and short rows would be added up number by number.
// CHECK-LABEL: @read
// CHECK-NOT: :2 = linalg.generic
// CHECK-LABEL: @short
// CHECK-NOT: :2 = linalg.generic
util.func public @read(%x: tensor<64x128xf32>, %zeros: tensor<64xf32>, %empty: tensor<64x128xf32>, %other: tensor<128x64xf32>)
    -> (tensor<128x64xf32>, tensor<64xf32>) {
  %written = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.negf %in : f32
    linalg.yield %1 : f32
  } -> tensor<64x128xf32>
  %turned = linalg.generic {indexing_maps = [affine_map<(a, b) -> (b, a)>, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%written : tensor<64x128xf32>) outs(%other : tensor<128x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<128x64xf32>
  %sum = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x128xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %total: f32):
    %1 = arith.addf %in, %total : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  util.return %turned, %sum : tensor<128x64xf32>, tensor<64xf32>
}

util.func public @short(%x: tensor<64x3xf32>, %zeros: tensor<64xf32>, %empty: tensor<64x3xf32>) -> (tensor<64x3xf32>, tensor<64xf32>) {
  %written = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x3xf32>) outs(%empty : tensor<64x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.negf %in : f32
    linalg.yield %1 : f32
  } -> tensor<64x3xf32>
  %sum = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x3xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %total: f32):
    %1 = arith.addf %in, %total : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  util.return %written, %sum : tensor<64x3xf32>, tensor<64xf32>
}

// -----

#whole = affine_map<(n, c, i) -> (n, c, i)>
#piece = affine_map<(n, c, i) -> (c)>

// A gradient that is written, and that of a bias: rows are pieces of each image.
// CHECK-LABEL: @pieces
// CHECK: %[[BOTH:.+]]:2 = linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel", "reduction"]
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
util.func public @pieces(%x: tensor<2x64x128xf32>, %y: tensor<2x64x128xf32>, %empty: tensor<2x64x128xf32>)
    -> (tensor<2x64x128xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %product = linalg.generic {indexing_maps = [#whole, #whole, #whole], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y : tensor<2x64x128xf32>, tensor<2x64x128xf32>) outs(%empty : tensor<2x64x128xf32>) {
  ^bb0(%one: f32, %other: f32, %out: f32):
    %1 = arith.mulf %one, %other : f32
    linalg.yield %1 : f32
  } -> tensor<2x64x128xf32>
  %sum = linalg.generic {indexing_maps = [#whole, #whole, #piece], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x64x128xf32>, tensor<2x64x128xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%one: f32, %other: f32, %total: f32):
    %1 = arith.mulf %one, %other : f32
    %2 = arith.addf %1, %total : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  util.return %product, %sum : tensor<2x64x128xf32>, tensor<64xf32>
}
