// RUN: myjit opt %s -p "group-numbers{most=5}" --level global | filecheck %s

#none = affine_map<() -> ()>

// Two of three sums have four tensors, and a view of the first waits for their kernel.
// CHECK-LABEL: @counters
// CHECK: %[[FIRST:[a-z0-9]+]]:2 = flow.dispatch.region
// CHECK-COUNT-2: linalg.generic
// CHECK: flow.return
// CHECK: tensor.expand_shape %[[FIRST]]#0
// CHECK: flow.dispatch.region
// CHECK: linalg.generic
// CHECK: flow.return
util.func public @counters(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>) -> (tensor<1xi64>, tensor<i64>, tensor<i64>) {
  %one = arith.constant 1 : i64
  %empty = tensor.empty() : tensor<i64>
  %0 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%a : tensor<i64>) outs(%empty : tensor<i64>) {
  ^bb0(%x: i64, %out: i64):
    %sum = arith.addi %x, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %view = tensor.expand_shape %0 [] output_shape [1] : tensor<i64> into tensor<1xi64>
  %1 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%b : tensor<i64>) outs(%empty : tensor<i64>) {
  ^bb0(%x: i64, %out: i64):
    %sum = arith.addi %x, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %2 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%c : tensor<i64>) outs(%empty : tensor<i64>) {
  ^bb0(%x: i64, %out: i64):
    %sum = arith.addi %x, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  util.return %view, %1, %2 : tensor<1xi64>, tensor<i64>, tensor<i64>
}

// One kernel can have them all: IREE makes it.
// CHECK-LABEL: @few
// CHECK-NOT: flow.dispatch.region
// CHECK: util.return
util.func public @few(%a: tensor<i64>, %b: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %one = arith.constant 1 : i64
  %empty = tensor.empty() : tensor<i64>
  %0 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%a : tensor<i64>) outs(%empty : tensor<i64>) {
  ^bb0(%x: i64, %out: i64):
    %sum = arith.addi %x, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  %1 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%b : tensor<i64>) outs(%empty : tensor<i64>) {
  ^bb0(%x: i64, %out: i64):
    %sum = arith.addi %x, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  util.return %0, %1 : tensor<i64>, tensor<i64>
}
