// RUN: myjit opt --level kernel --passes 'branch-around{least=2}' %s | filecheck %s
// RUN: myjit opt --level kernel --passes 'branch-around{least=3}' %s | filecheck %s --check-prefix=MORE
// MORE-NOT: where_needed

// What only the second value takes stands in a function, behind a look at the whole vector.
// CHECK: llvm.func internal @myjit_where_needed_0(%[[IS_NEAR:.+]]: vector<4xi1>, %[[NEAR:.+]]: vector<4xi32>, %[[X:.+]]: vector<4xi32>)
// CHECK: %[[ALL:.+]] = "llvm.intr.vector.reduce.and"(%[[IS_NEAR]])
// CHECK: llvm.cond_br %[[ALL]], ^[[LEAVE:.+]], ^[[COMPUTE:.+]]
// CHECK: ^[[LEAVE]]:
// CHECK: llvm.insertvalue %[[NEAR]]
// CHECK: ^[[COMPUTE]]:
// CHECK: %[[SQUARE:.+]] = llvm.mul %[[X]], %[[X]]
// CHECK: %[[THREE:.+]] = llvm.mlir.constant(dense<3>
// CHECK: %[[FAR:.+]] = llvm.mul %[[SQUARE]], %[[THREE]]
// CHECK: llvm.select %[[IS_NEAR]], %[[NEAR]], %[[FAR]]
// CHECK-LABEL: llvm.func @kernel(
// CHECK: %[[BOTH:.+]] = llvm.call @myjit_where_needed_0(
// CHECK-NEXT: llvm.extractvalue %[[BOTH]][0]
// CHECK-NOT: llvm.mul
// A value that others use too, or one for a single truth value, stays where it is.
// CHECK-LABEL: llvm.func @others(
// CHECK: llvm.mul
// CHECK: llvm.mul
// CHECK-NOT: llvm.call
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
module {
  hal.executable private @kernels {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64">) {
      hal.executable.export public @kernel ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %one = arith.constant 1 : index
        hal.return %one, %one, %one : index, index, index
      }
      builtin.module {
        llvm.func @kernel(%x: vector<4xi32>, %near: vector<4xi32>, %limit: vector<4xi32>) -> vector<4xi32> {
          %three = llvm.mlir.constant(dense<3> : vector<4xi32>) : vector<4xi32>
          %is_near = llvm.icmp "ult" %x, %limit : vector<4xi32>
          %square = llvm.mul %x, %x : vector<4xi32>
          %far = llvm.mul %square, %three : vector<4xi32>
          %0 = llvm.select %is_near, %near, %far : vector<4xi1>, vector<4xi32>
          llvm.return %0 : vector<4xi32>
        }
        llvm.func @others(%x: vector<4xi32>, %near: vector<4xi32>, %limit: vector<4xi32>, %single: i1) -> vector<4xi32> {
          %is_near = llvm.icmp "ult" %x, %limit : vector<4xi32>
          %square = llvm.mul %x, %x : vector<4xi32>
          %far = llvm.mul %square, %x : vector<4xi32>
          %0 = llvm.select %is_near, %near, %far : vector<4xi1>, vector<4xi32>
          %1 = llvm.add %0, %far : vector<4xi32>
          %2 = llvm.select %single, %1, %near : i1, vector<4xi32>
          llvm.return %2 : vector<4xi32>
        }
      }
    }
  }
}
