// RUN: myjit opt --level kernel --passes 'branch-around{least=2}' %s | filecheck %s
// RUN: myjit opt --level kernel --passes 'branch-around{least=4}' %s | filecheck %s --check-prefix=MORE
// MORE-NOT: llvm.cond_br

// What only the second value takes stands behind a look at the whole vector.
// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME: %[[X:.+]]: vector<8xi32>, %[[NEAR:.+]]: vector<8xi32>, %[[LIMIT:.+]]: vector<8xi32>)
// CHECK: %[[IS_NEAR:.+]] = llvm.icmp "ult" %[[X]], %[[LIMIT]]
// CHECK-NEXT: %[[DEFINED:.+]] = llvm.freeze %[[IS_NEAR]]
// CHECK-NEXT: %[[ALL:.+]] = "llvm.intr.vector.reduce.and"(%[[DEFINED]])
// CHECK-NEXT: llvm.cond_br %[[ALL]], ^[[AFTER:.+]](%[[NEAR]] : vector<8xi32>), ^[[FAR:.+]]
// CHECK-NEXT: ^[[FAR]]:
// CHECK-NEXT: %[[SQUARE:.+]] = llvm.mul %[[X]], %[[X]]
// CHECK-NEXT: %[[TRIPLE:.+]] = llvm.mul %[[SQUARE]], %{{.+}}
// CHECK-NEXT: %[[CHOSEN:.+]] = llvm.select %[[IS_NEAR]], %[[NEAR]], %[[TRIPLE]]
// CHECK-NEXT: llvm.br ^[[AFTER]](%[[CHOSEN]] : vector<8xi32>)
// CHECK-NEXT: ^[[AFTER]](%[[RESULT:.+]]: vector<8xi32>):
// CHECK-NEXT: llvm.return %[[RESULT]]
// A short vector's numbers are looked at one after the other.
// CHECK-LABEL: llvm.func @short(
// CHECK: %[[IS_NEAR:.+]] = llvm.icmp "ult"
// CHECK-NEXT: %[[DEFINED:.+]] = llvm.freeze %[[IS_NEAR]]
// CHECK: %[[FIRST:.+]] = llvm.extractelement %[[DEFINED]][
// CHECK: %[[SECOND:.+]] = llvm.extractelement %[[DEFINED]][
// CHECK: %[[BOTH:.+]] = llvm.and %[[FIRST]], %[[SECOND]]
// CHECK: llvm.cond_br %[[BOTH]]
// So of one number, and CUDA's functions, which take one after the other, go along.
// CHECK-LABEL: llvm.func @single(
// CHECK: %[[IS_NEAR:.+]] = llvm.fcmp "olt"
// CHECK-NEXT: %[[DEFINED:.+]] = llvm.freeze %[[IS_NEAR]]
// CHECK-NEXT: llvm.cond_br %[[DEFINED]], ^[[AFTER:.+]](%{{.+}} : f32), ^[[FAR:.+]]
// CHECK: llvm.call @__nv_fabsf
// CHECK: llvm.br ^[[AFTER]]
// A value that others use too stays where it is.
// CHECK-LABEL: llvm.func @others(
// CHECK-NOT: llvm.cond_br
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
module {
  hal.executable private @kernels {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64">) {
      hal.executable.export public @kernel ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %one = arith.constant 1 : index
        hal.return %one, %one, %one : index, index, index
      }
      builtin.module {
        llvm.func @kernel(%x: vector<8xi32>, %near: vector<8xi32>, %limit: vector<8xi32>) -> vector<8xi32> {
          %three = llvm.mlir.constant(dense<3> : vector<8xi32>) : vector<8xi32>
          %is_near = llvm.icmp "ult" %x, %limit : vector<8xi32>
          %square = llvm.mul %x, %x : vector<8xi32>
          %far = llvm.mul %square, %three : vector<8xi32>
          %0 = llvm.select %is_near, %near, %far : vector<8xi1>, vector<8xi32>
          llvm.return %0 : vector<8xi32>
        }
        llvm.func @short(%x: vector<2xi32>, %near: vector<2xi32>, %limit: vector<2xi32>) -> vector<2xi32> {
          %three = llvm.mlir.constant(dense<3> : vector<2xi32>) : vector<2xi32>
          %is_near = llvm.icmp "ult" %x, %limit : vector<2xi32>
          %square = llvm.mul %x, %x : vector<2xi32>
          %far = llvm.mul %square, %three : vector<2xi32>
          %0 = llvm.select %is_near, %near, %far : vector<2xi1>, vector<2xi32>
          llvm.return %0 : vector<2xi32>
        }
        llvm.func @__nv_fabsf(f32) -> f32
        llvm.func @single(%x: f32, %near: f32, %limit: f32) -> f32 {
          %is_near = llvm.fcmp "olt" %x, %limit : f32
          %square = llvm.fmul %x, %x : f32
          %cube = llvm.fmul %square, %x : f32
          %far = llvm.call @__nv_fabsf(%cube) : (f32) -> f32
          %0 = llvm.select %is_near, %near, %far : i1, f32
          llvm.return %0 : f32
        }
        llvm.func @others(%x: vector<4xi32>, %near: vector<4xi32>, %limit: vector<4xi32>) -> vector<4xi32> {
          %is_near = llvm.icmp "ult" %x, %limit : vector<4xi32>
          %square = llvm.mul %x, %x : vector<4xi32>
          %far = llvm.mul %square, %x : vector<4xi32>
          %0 = llvm.select %is_near, %near, %far : vector<4xi1>, vector<4xi32>
          %1 = llvm.add %0, %far : vector<4xi32>
          llvm.return %1 : vector<4xi32>
        }
      }
    }
  }
}
