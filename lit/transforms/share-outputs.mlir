// RUN: myjit opt --level flow -p share-outputs --split-input-file %s | filecheck %s

// What the second dispatch reads is already in the caller's memory; what nothing else reads stays as it is.
// CHECK-LABEL: util.func public @read_again
// CHECK: %[[FIRST:.*]] = flow.dispatch @first(%arg0)
// CHECK-NEXT: %[[SHARED:.*]] = hal.tensor.alias %[[FIRST]] : tensor<8xf32> to %arg1 : !hal.buffer
// CHECK-NEXT: %[[SECOND:.*]] = flow.dispatch @second(%[[SHARED]])
// CHECK-NEXT: %[[LAST:.*]] = hal.tensor.alias %[[SECOND]]
// CHECK-NEXT: %[[ROWS:.*]] = flow.tensor.reshape %[[SHARED]]
// CHECK-NEXT: util.return %[[ROWS]], %[[LAST]]
util.func public @read_again(%x: tensor<8xf32>, %a: !hal.buffer, %b: !hal.buffer) -> (tensor<2x4xf32>, tensor<8xf32>) {
  %0 = flow.dispatch @first(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = flow.dispatch @second(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = hal.tensor.alias %1 : tensor<8xf32> to %b : !hal.buffer
  %3 = flow.tensor.reshape %0 : tensor<8xf32> -> tensor<2x4xf32>
  %4 = hal.tensor.alias %3 : tensor<2x4xf32> to %a : !hal.buffer
  util.return %4, %2 : tensor<2x4xf32>, tensor<8xf32>
}

// -----

// Of two results with one value, the second is a copy; an input is copied always.
// CHECK-LABEL: util.func public @twice
// CHECK: %[[ONCE:.*]] = flow.dispatch
// CHECK-NEXT: %[[SHARED:.*]] = hal.tensor.alias %[[ONCE]]
// CHECK-NEXT: %[[COPY:.*]] = hal.tensor.alias %[[SHARED]]
// CHECK-NEXT: %[[INPUT:.*]] = hal.tensor.alias %arg0
// CHECK-NEXT: util.return %[[SHARED]], %[[COPY]], %[[INPUT]]
util.func public @twice(%x: tensor<8xf32>, %a: !hal.buffer, %b: !hal.buffer, %c: !hal.buffer) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = flow.dispatch @first(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = hal.tensor.alias %0 : tensor<8xf32> to %a : !hal.buffer
  %2 = hal.tensor.alias %0 : tensor<8xf32> to %b : !hal.buffer
  %3 = hal.tensor.alias %x : tensor<8xf32> to %c : !hal.buffer
  util.return %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: util.func public @dynamic
// CHECK: flow.dispatch @first
// CHECK-NEXT: flow.dispatch @second
util.func public @dynamic(%x: tensor<?xf32>, %n: index, %a: !hal.buffer) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = flow.dispatch @first(%x) : (tensor<?xf32>{%n}) -> tensor<?xf32>{%n}
  %1 = flow.dispatch @second(%0) : (tensor<?xf32>{%n}) -> tensor<?xf32>{%n}
  %2 = hal.tensor.alias %0 : tensor<?xf32>{%n} to %a : !hal.buffer
  util.return %2, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// What is written into in place later stays where it is.
// CHECK-LABEL: util.func public @written
// CHECK: flow.dispatch @first
// CHECK-NEXT: flow.tensor.reshape
// CHECK: flow.dispatch @second
// CHECK-NEXT: flow.dispatch @third
// CHECK-NEXT: hal.tensor.alias
util.func public @written(%x: tensor<8xf32>, %n: index, %a: !hal.buffer, %b: !hal.buffer) -> (tensor<8xf32>, tensor<2x4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %row = flow.tensor.constant dense<1.0> : tensor<1x4xf32>
  %0 = flow.dispatch @first(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = flow.tensor.reshape %0 : tensor<8xf32> -> tensor<2x4xf32>
  %2 = flow.tensor.update %row, %1[%c0, %c0] : tensor<1x4xf32> -> %1 as tensor<2x4xf32>
  %3 = flow.dispatch @second[%n](%x) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = flow.dispatch @third[%n](%x, %3) : (tensor<8xf32>, tensor<8xf32>) -> %3
  %5 = hal.tensor.alias %0 : tensor<8xf32> to %a : !hal.buffer
  %6 = hal.tensor.alias %3 : tensor<8xf32> to %b : !hal.buffer
  util.return %5, %2, %6, %4 : tensor<8xf32>, tensor<2x4xf32>, tensor<8xf32>, tensor<8xf32>
}
