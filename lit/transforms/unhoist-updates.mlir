// RUN: myjit opt %s -p unhoist-updates --level flow | filecheck %s

!write = !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4xf32>>

flow.executable private @updates {
  flow.executable.export public @kernel workgroups() -> (index, index, index) {
    %one = arith.constant 1 : index
    flow.return %one, %one, %one : index, index, index
  }
  builtin.module {
    func.func @kernel(%out: !write) {
      return
    }
  }
}

util.global private @known : tensor<4xf32>
util.global private @updated : tensor<4xf32>
util.global private @copied : tensor<4xf32>

// What writes into a tensor that is loaded goes to where its result is loaded; the rest stays.
// CHECK-NOT: util.global.store {{.*}}, @updated
// CHECK: util.initializer
// CHECK: util.global.store {{.*}}, @copied
// CHECK-NOT: util.global.store {{.*}}, @updated
util.initializer {
  %0 = util.global.load @known : tensor<4xf32>
  %1 = flow.dispatch @updates::@kernel(%0) : (tensor<4xf32>) -> %0
  util.global.store %1, @updated : tensor<4xf32>
  util.return
}
util.initializer {
  %0 = flow.tensor.empty : tensor<4xf32>
  %1 = flow.dispatch @updates::@kernel(%0) : (tensor<4xf32>) -> %0
  util.global.store %1, @copied : tensor<4xf32>
  util.return
}

// CHECK-LABEL: util.func public @main
// CHECK: %[[KNOWN:.+]] = util.global.load @known
// CHECK: %[[UPDATED:.+]] = flow.dispatch @updates::@kernel(%[[KNOWN]]) : (tensor<4xf32>) -> %[[KNOWN]]
// CHECK: %[[COPIED:.+]] = util.global.load @copied
// CHECK: util.return %[[UPDATED]], %[[COPIED]]
util.func public @main() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = util.global.load @updated : tensor<4xf32>
  %1 = util.global.load @copied : tensor<4xf32>
  util.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
