// RUN: myjit opt --level global --passes reduce-together --split-input-file %s | filecheck %s

#whole = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>

// Both sums are made of %x: one operation, in front of what follows from the first one.
// CHECK-LABEL: @norm_gradient
// CHECK: arith.mulf
// CHECK: %[[SUMS:.+]]:2 = linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK: linalg.yield %{{.+}}, %{{.+}} : f32, f32
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[SUMS]]#0 :
// CHECK: return %{{.+}}, %[[SUMS]]#1
util.func public @norm_gradient(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>, %zeros: tensor<64xf32>, %empty: tensor<64x128xf32>)
    -> (tensor<64x128xf32>, tensor<64xf32>) {
  %first = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x128xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %total: f32):
    %sum = arith.addf %in, %total : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  %product = linalg.generic {indexing_maps = [#whole, #whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<64x128xf32>, tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%one: f32, %other: f32, %out: f32):
    %both = arith.mulf %one, %other : f32
    linalg.yield %both : f32
  } -> tensor<64x128xf32>
  %second = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%product : tensor<64x128xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %total: f32):
    %sum = arith.addf %in, %total : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  %less = linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %first : tensor<64x128xf32>, tensor<64xf32>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %difference = arith.subf %in, %sum : f32
    linalg.yield %difference : f32
  } -> tensor<64x128xf32>
  util.return %less, %second : tensor<64x128xf32>, tensor<64xf32>
}

// -----

#whole = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>

// One that needs the other's result comes after it; and of tensors that have nothing in common each has its own.
// CHECK-LABEL: @apart
// CHECK-NOT: :2 = linalg.generic
util.func public @apart(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>, %zeros: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %first = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x128xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %total: f32):
    %sum = arith.addf %in, %total : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  %after = linalg.generic {indexing_maps = [#whole, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %first : tensor<64x128xf32>, tensor<64xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %mean: f32, %total: f32):
    %difference = arith.subf %in, %mean : f32
    %sum = arith.addf %difference, %total : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  %other = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<64x128xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %total: f32):
    %sum = arith.addf %in, %total : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  util.return %after, %other : tensor<64xf32>, tensor<64xf32>
}

// -----

#whole = affine_map<(a, b) -> (a, b)>

// A number that the function was given is taken from outside of the loops.
// CHECK-LABEL: @given
// CHECK: arith.mulf %{{.+}}, %arg1
util.func public @given(%x: tensor<64x128xf32>, %factor: f32, %empty: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %scaled = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %product = arith.mulf %in, %factor : f32
    linalg.yield %product : f32
  } -> tensor<64x128xf32>
  util.return %scaled : tensor<64x128xf32>
}

// -----

#whole = affine_map<(n, c, i) -> (n, c, i)>
#piece = affine_map<(n, c, i) -> (c)>
#image = affine_map<(n, c, i) -> (n)>

// The two sums over pieces of each image are one operation; the one over images is another.
// CHECK-LABEL: @pieces
// CHECK: %[[SUMS:.+]]:2 = linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel", "reduction"]
// CHECK: %[[OTHER:.+]] = linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction", "reduction"]
// CHECK: return %[[SUMS]]#0, %[[SUMS]]#1, %[[OTHER]]
util.func public @pieces(%x: tensor<64x64x16xf32>, %y: tensor<64x64x16xf32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %first = linalg.generic {indexing_maps = [#whole, #piece], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<64x64x16xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %total: f32):
    %sum = arith.addf %in, %total : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  %second = linalg.generic {indexing_maps = [#whole, #whole, #piece], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x, %y : tensor<64x64x16xf32>, tensor<64x64x16xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%one: f32, %other: f32, %total: f32):
    %product = arith.mulf %one, %other : f32
    %sum = arith.addf %product, %total : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  %third = linalg.generic {indexing_maps = [#whole, #image], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<64x64x16xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %total: f32):
    %sum = arith.addf %in, %total : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  util.return %first, %second, %third : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
