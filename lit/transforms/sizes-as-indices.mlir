// What an index is cast from is computed as an index; other uses of the numbers stay.
// RUN: myjit opt %s -p sizes-as-indices --level iree | filecheck %s

// CHECK-LABEL: func.func @start
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[N:.*]]: i64)
// CHECK-DAG: %[[I:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[START:.*]] = arith.minsi %[[I]], %[[ONE]] : index
// CHECK: tensor.extract_slice %[[X]][%[[START]], 0]
func.func @start(%x: tensor<?x4xf32>, %n: i64) -> tensor<1x4xf32> {
  %one = arith.constant 1 : i64
  %least = arith.minsi %n, %one : i64
  %start = arith.index_cast %least : i64 to index
  %row = tensor.extract_slice %x[%start, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
  return %row : tensor<1x4xf32>
}

// CHECK-LABEL: func.func @chosen
// CHECK-SAME: (%[[N:.*]]: i64, %[[C:.*]]: i1)
// CHECK-DAG: %[[DOUBLE:.*]] = arith.addi %[[N]], %[[N]] : i64
// CHECK-DAG: arith.select %[[C]], %{{.*}}, %{{.*}} : index
// CHECK: return %{{.*}}, %[[DOUBLE]]
func.func @chosen(%n: i64, %c: i1) -> (index, i64) {
  %double = arith.addi %n, %n : i64
  %chosen = arith.select %c, %double, %n : i64
  %size = arith.index_cast %chosen : i64 to index
  return %size, %double : index, i64
}

// What is computed otherwise, or in fewer bits, stays.
// CHECK-LABEL: func.func @other
// CHECK: arith.divsi %{{.*}} : i64
// CHECK: arith.index_cast %{{.*}} : i64 to index
// CHECK: arith.addi %{{.*}} : i32
// CHECK: arith.index_cast %{{.*}} : i32 to index
func.func @other(%n: i64, %m: i32, %k: i64) -> (index, index) {
  %half = arith.divsi %n, %k : i64
  %size = arith.index_cast %half : i64 to index
  %sum = arith.addi %m, %m : i32
  %place = arith.index_cast %sum : i32 to index
  return %size, %place : index, index
}
