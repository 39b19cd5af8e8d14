// RUN: myjit opt %s -p read-through-slices --level iree | filecheck %s

// A column, its one dimension dropped by a reshape: the element lies in the third column of the rows.
// CHECK-LABEL: @column
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<?x?xf32>, %[[PLACE:[a-z0-9]+]]: index
// CHECK: %[[COLUMN:.+]] = arith.constant 3
// CHECK: tensor.extract %[[X]][%[[PLACE]], %[[COLUMN]]]
func.func @column(%x: tensor<?x?xf32>, %place: index, %rows: index) -> f32 {
  %slice = tensor.extract_slice %x[0, 3] [%rows, 1] [1, 1] : tensor<?x?xf32> to tensor<?x1xf32>
  %column = tensor.collapse_shape %slice [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
  %0 = tensor.extract %column[%place] : tensor<?xf32>
  return %0 : f32
}

// Places of slices in steps, of rows that begin somewhere; the middle dimension is dropped.
// CHECK-LABEL: @steps
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<8x4x6xf32>, %[[FIRST:[a-z0-9]+]]: index, %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index
// CHECK: %[[ROW:.+]] = arith.addi %[[I]], %[[FIRST]]
// CHECK: %[[MIDDLE:.+]] = arith.constant 2
// CHECK: %[[STEPS:.+]] = arith.muli %[[J]], %{{.+}}
// CHECK: tensor.extract %[[X]][%[[ROW]], %[[MIDDLE]], %[[STEPS]]]
func.func @steps(%x: tensor<8x4x6xf32>, %first: index, %i: index, %j: index) -> f32 {
  %slice = tensor.extract_slice %x[%first, 2, 0] [4, 1, 3] [1, 1, 2] : tensor<8x4x6xf32> to tensor<4x3xf32>
  %0 = tensor.extract %slice[%i, %j] : tensor<4x3xf32>
  return %0 : f32
}

// Rows that are merged behind a slice: it is computed first.
// CHECK-LABEL: @merged
// CHECK: %[[SLICE:.+]] = tensor.extract_slice
// CHECK: %[[FLAT:.+]] = tensor.collapse_shape %[[SLICE]]
// CHECK: %[[COMPUTED:.+]] = iree_tensor_ext.compute_barrier.start %[[FLAT]]
// CHECK: tensor.extract %[[COMPUTED]]
func.func @merged(%x: tensor<8x6xf32>, %place: index) -> f32 {
  %slice = tensor.extract_slice %x[0, 0] [8, 3] [1, 1] : tensor<8x6xf32> to tensor<8x3xf32>
  %flat = tensor.collapse_shape %slice [[0, 1]] : tensor<8x3xf32> into tensor<24xf32>
  %0 = tensor.extract %flat[%place] : tensor<24xf32>
  return %0 : f32
}

// CHECK-LABEL: @whole
// CHECK-NEXT: tensor.collapse_shape
// CHECK-NEXT: tensor.extract
func.func @whole(%x: tensor<8x6xf32>, %place: index) -> f32 {
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<8x6xf32> into tensor<48xf32>
  %0 = tensor.extract %flat[%place] : tensor<48xf32>
  return %0 : f32
}

!read = !iree_tensor_ext.dispatch.tensor<readonly:tensor<?x8x6xf32>>

// What a dispatch loads of a tensor: the element lies in the whole, which is loaded beside.
// CHECK-LABEL: @loaded
// CHECK-SAME: (%[[X:[a-z0-9]+]]: {{.*}}, %[[ROWS:[a-z0-9]+]]: index, %[[FIRST:[a-z0-9]+]]: index, %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index)
// CHECK: %[[WHOLE:[a-z0-9]+]] = iree_tensor_ext.dispatch.tensor.load %[[X]], offsets = [0, 0, 0], sizes = [%[[ROWS]], 8, 6]
// CHECK: %[[ROW:[a-z0-9]+]] = arith.addi %[[J]], %[[FIRST]]
// CHECK: %[[LAST:[a-z0-9_]+]] = arith.constant 2
// CHECK: tensor.extract %[[WHOLE]][%[[I]], %[[ROW]], %[[LAST]]]
func.func @loaded(%x: !read, %rows: index, %first: index, %i: index, %j: index) -> f32 {
  %part = iree_tensor_ext.dispatch.tensor.load %x, offsets = [0, %first, 2], sizes = [%rows, 4, 1], strides = [1, 1, 1]
      : !read{%rows} -> tensor<?x4xf32>
  %0 = tensor.extract %part[%i, %j] : tensor<?x4xf32>
  return %0 : f32
}

// CHECK-LABEL: @loaded_whole
// CHECK-COUNT-1: iree_tensor_ext.dispatch.tensor.load
// CHECK-NEXT: tensor.extract
func.func @loaded_whole(%x: !read, %rows: index, %i: index) -> f32 {
  %all = iree_tensor_ext.dispatch.tensor.load %x, offsets = [0, 0, 0], sizes = [%rows, 8, 6], strides = [1, 1, 1]
      : !read{%rows} -> tensor<?x8x6xf32>
  %0 = tensor.extract %all[%i, %i, %i] : tensor<?x8x6xf32>
  return %0 : f32
}
