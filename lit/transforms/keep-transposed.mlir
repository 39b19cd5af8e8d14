// RUN: myjit opt --level iree --passes keep-transposed --split-input-file %s | filecheck %s

// Keys of each head of each batch, transposed: the product reads them as they lie.
// CHECK-DAG: #[[LEFT:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[RIGHT:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[RESULT:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: @keys
// CHECK-SAME: %[[Q:.+]]: tensor<6x1x16xf32>, %[[K:.+]]: tensor<2x3x70x16xf32>
// CHECK: %[[ROWS:.+]] = tensor.collapse_shape %[[K]] {{.+}} into tensor<6x70x16xf32>
// CHECK: linalg.batch_matmul indexing_maps = [#[[LEFT]], #[[RIGHT]], #[[RESULT]]] ins(%[[Q]], %[[ROWS]] :
func.func @keys(%q: tensor<6x1x16xf32>, %k: tensor<2x3x70x16xf32>, %empty: tensor<2x3x16x70xf32>, %zeros: tensor<6x1x70xf32>) -> tensor<6x1x70xf32> {
  %turned = linalg.transpose ins(%k : tensor<2x3x70x16xf32>) outs(%empty : tensor<2x3x16x70xf32>) permutation = [0, 1, 3, 2]
  %one = tensor.collapse_shape %turned [[0, 1], [2], [3]] : tensor<2x3x16x70xf32> into tensor<6x16x70xf32>
  %scores = linalg.batch_matmul ins(%q, %one : tensor<6x1x16xf32>, tensor<6x16x70xf32>) outs(%zeros : tensor<6x1x70xf32>) -> tensor<6x1x70xf32>
  return %scores : tensor<6x1x70xf32>
}

// -----

// Batches in another order, and dimensions that become one with the matrices', are left as they are.
// CHECK-LABEL: @others
// CHECK-NOT: indexing_maps
func.func @others(%q: tensor<6x1x16xf32>, %k: tensor<2x3x70x16xf32>, %empty: tensor<3x2x16x70xf32>, %zeros: tensor<6x1x70xf32>,
    %p: tensor<2x1x48xf32>, %other: tensor<2x3x16x70xf32>, %less: tensor<2x1x70xf32>) -> (tensor<6x1x70xf32>, tensor<2x1x70xf32>) {
  %turned = linalg.transpose ins(%k : tensor<2x3x70x16xf32>) outs(%empty : tensor<3x2x16x70xf32>) permutation = [1, 0, 3, 2]
  %one = tensor.collapse_shape %turned [[0, 1], [2], [3]] : tensor<3x2x16x70xf32> into tensor<6x16x70xf32>
  %scores = linalg.batch_matmul ins(%q, %one : tensor<6x1x16xf32>, tensor<6x16x70xf32>) outs(%zeros : tensor<6x1x70xf32>) -> tensor<6x1x70xf32>
  %again = linalg.transpose ins(%k : tensor<2x3x70x16xf32>) outs(%other : tensor<2x3x16x70xf32>) permutation = [0, 1, 3, 2]
  %long = tensor.collapse_shape %again [[0], [1, 2], [3]] : tensor<2x3x16x70xf32> into tensor<2x48x70xf32>
  %sums = linalg.batch_matmul ins(%p, %long : tensor<2x1x48xf32>, tensor<2x48x70xf32>) outs(%less : tensor<2x1x70xf32>) -> tensor<2x1x70xf32>
  return %scores, %sums : tensor<6x1x70xf32>, tensor<2x1x70xf32>
}
