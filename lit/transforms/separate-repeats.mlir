// RUN: myjit opt %s -p separate-repeats --level flow | filecheck %s

!write = !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>>
!read = !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>>

// The second dispatch without tensors runs a copy; what reads tensors stays.
// CHECK: flow.executable private @known_repeat_2
// CHECK: flow.executable private @known {
flow.executable private @known {
  flow.executable.export public @kernel workgroups() -> (index, index, index) {
    %one = arith.constant 1 : index
    flow.return %one, %one, %one : index, index, index
  }
  builtin.module {
    func.func @kernel(%out: !write) {
      %three = arith.constant 3.0 : f32
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.fill ins(%three : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
      iree_tensor_ext.dispatch.tensor.store %1, %out, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !write
      return
    }
  }
}

flow.executable private @reads {
  flow.executable.export public @kernel workgroups() -> (index, index, index) {
    %one = arith.constant 1 : index
    flow.return %one, %one, %one : index, index, index
  }
  builtin.module {
    func.func @kernel(%x: !read, %out: !write) {
      %0 = iree_tensor_ext.dispatch.tensor.load %x, offsets = [0], sizes = [4], strides = [1] : !read -> tensor<4xf32>
      iree_tensor_ext.dispatch.tensor.store %0, %out, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !write
      return
    }
  }
}

// CHECK-LABEL: util.func public @main
// CHECK: flow.dispatch @known::@kernel()
// CHECK: flow.dispatch @known_repeat_2::@kernel_repeat_2()
// CHECK: flow.dispatch @reads::@kernel(
// CHECK: flow.dispatch @reads::@kernel(
util.func public @main() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = flow.dispatch @known::@kernel() : () -> tensor<4xf32>
  %1 = flow.dispatch @known::@kernel() : () -> tensor<4xf32>
  %2 = flow.dispatch @reads::@kernel(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = flow.dispatch @reads::@kernel(%1) : (tensor<4xf32>) -> tensor<4xf32>
  util.return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

!both = !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x1xf32>>

flow.executable private @updates {
  flow.executable.export public @update workgroups() -> (index, index, index) {
    %one = arith.constant 1 : index
    flow.return %one, %one, %one : index, index, index
  }
  builtin.module {
    func.func @update(%out: !both) {
      return
    }
  }
}

// What is updated is computed for that alone, where others read it as well.
// CHECK-LABEL: util.func public @updated
// CHECK: %[[READ:.+]] = flow.dispatch @known{{.*}}()
// CHECK: %[[OWN:.+]] = flow.dispatch @known{{.*}}()
// CHECK: %[[VIEW:.+]] = flow.tensor.reshape %[[OWN]]
// CHECK: flow.dispatch @updates::@update(%[[VIEW]]) : (tensor<4x1xf32>) -> %[[VIEW]]
// CHECK: util.return %[[READ]]
util.func public @updated() -> (tensor<4xf32>, tensor<4x1xf32>) {
  %0 = flow.dispatch @known::@kernel() : () -> tensor<4xf32>
  %1 = flow.tensor.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = flow.dispatch @updates::@update(%1) : (tensor<4x1xf32>) -> %1
  util.return %0, %2 : tensor<4xf32>, tensor<4x1xf32>
}
