// RUN: myjit opt %s -p separate-results --level flow | filecheck %s

#row = affine_map<(a) -> (a)>
!write = !iree_tensor_ext.dispatch.tensor<writeonly:tensor<?xi64>>
!float = !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>>
!read = !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>>

flow.executable private @known {
  flow.executable.export public @both workgroups(%count: index) -> (index, index, index) {
    %one = arith.constant 1 : index
    flow.return %count, %one, %one : index, index, index
  }
  builtin.module {
    func.func @both(%size: index, %places: !write, %numbers: !float) {
      %c0 = arith.constant 0 : i64
      %three = arith.constant 3.0 : f32
      %n = iree_tensor_ext.dispatch.workload.ordinal %size, 0 : index
      %out = flow.dispatch.tie_shape %places : !write{%n}
      %0 = tensor.empty(%n) : tensor<?xi64>
      %1 = tensor.empty() : tensor<4xf32>
      %2 = linalg.fill ins(%c0 : i64) outs(%0 : tensor<?xi64>) -> tensor<?xi64>
      %3 = linalg.fill ins(%three : f32) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
      iree_tensor_ext.dispatch.tensor.store %2, %out, offsets = [0], sizes = [%n], strides = [1] : tensor<?xi64> -> !write{%n}
      iree_tensor_ext.dispatch.tensor.store %3, %numbers, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !float
      return
    }
  }
}

flow.executable private @reads {
  flow.executable.export public @both workgroups() -> (index, index, index) {
    %one = arith.constant 1 : index
    flow.return %one, %one, %one : index, index, index
  }
  builtin.module {
    func.func @both(%x: !read, %first: !float, %second: !float) {
      %0 = iree_tensor_ext.dispatch.tensor.load %x, offsets = [0], sizes = [4], strides = [1] : !read -> tensor<4xf32>
      %1 = tensor.empty() : tensor<4xf32>
      %2:2 = linalg.generic {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel"]}
          ins(%0, %0 : tensor<4xf32>, tensor<4xf32>) outs(%1, %1 : tensor<4xf32>, tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
        %size = math.absf %a : f32
        %other = arith.negf %b : f32
        linalg.yield %size, %other : f32, f32
      } -> (tensor<4xf32>, tensor<4xf32>)
      iree_tensor_ext.dispatch.tensor.store %2#0, %first, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !float
      iree_tensor_ext.dispatch.tensor.store %2#1, %second, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !float
      return
    }
  }
}

flow.executable private @alike {
  flow.executable.export public @both workgroups() -> (index, index, index) {
    %one = arith.constant 1 : index
    flow.return %one, %one, %one : index, index, index
  }
  builtin.module {
    func.func @both(%x: !read, %first: !float, %second: !float) {
      %0 = iree_tensor_ext.dispatch.tensor.load %x, offsets = [0], sizes = [4], strides = [1] : !read -> tensor<4xf32>
      %1 = tensor.empty() : tensor<4xf32>
      %2:2 = linalg.generic {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel"]}
          ins(%0, %0 : tensor<4xf32>, tensor<4xf32>) outs(%1, %1 : tensor<4xf32>, tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
        %size = math.absf %a : f32
        %other = math.absf %b : f32
        linalg.yield %size, %other : f32, f32
      } -> (tensor<4xf32>, tensor<4xf32>)
      iree_tensor_ext.dispatch.tensor.store %2#0, %first, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !float
      iree_tensor_ext.dispatch.tensor.store %2#1, %second, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !float
      return
    }
  }
}

// Each result of what reads no tensors has a kernel that stores nothing else.
// CHECK-LABEL: flow.executable private @known_result_0
// CHECK: flow.executable.export public @both_result_0 workgroups(%{{.+}}: index)
// CHECK: func.func @both_result_0(%{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: {{[^,]+}}tensor<?xi64>>)
// CHECK: dispatch.tensor.store
// CHECK-NOT: dispatch.tensor.store
// CHECK-LABEL: flow.executable private @known_result_1
// CHECK: func.func @both_result_1(%{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: {{[^,]+}}tensor<4xf32>>)
// CHECK: dispatch.tensor.store
// CHECK-NOT: dispatch.tensor.store
// CHECK-LABEL: flow.executable private @reads
// CHECK-COUNT-2: dispatch.tensor.store
// What computes the same twice is separated as well.
// CHECK-LABEL: flow.executable private @alike_result_0
// CHECK-LABEL: flow.executable private @alike_result_1

// CHECK-LABEL: util.func public @main
// CHECK-SAME: %[[SIZE:[a-z0-9]+]]: index
// CHECK: %[[PLACES:[a-z0-9]+]] = flow.dispatch @known_result_0::@both_result_0[%[[SIZE]]](%[[SIZE]]) : (index) -> tensor<?xi64>{%[[SIZE]]}
// CHECK: %[[NUMBERS:[a-z0-9]+]] = flow.dispatch @known_result_1::@both_result_1[%[[SIZE]]](%[[SIZE]]) : (index) -> tensor<4xf32>
// CHECK: %{{[a-z0-9]+}}:2 = flow.dispatch @reads::@both(
// CHECK: flow.dispatch @alike_result_0
// CHECK: flow.dispatch @alike_result_1
// CHECK: return %[[PLACES]], %[[NUMBERS]]
util.func public @main(%size: index, %x: tensor<4xf32>) -> (tensor<?xi64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:2 = flow.dispatch @known::@both[%size](%size) : (index) -> (tensor<?xi64>{%size}, tensor<4xf32>)
  %1:2 = flow.dispatch @reads::@both(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %2:2 = flow.dispatch @alike::@both(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  util.return %0#0, %0#1, %1#1, %2#1 : tensor<?xi64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
