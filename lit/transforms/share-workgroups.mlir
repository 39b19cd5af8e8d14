// RUN: myjit opt --level kernel --passes share-workgroups --split-input-file %s | filecheck %s
// RUN: myjit opt --level kernel --passes 'share-workgroups{bytes=4096}' --split-input-file %s | filecheck %s --check-prefix=LESS
// RUN: not myjit opt --level kernel --passes 'share-workgroups{byte=1}' %s 2>&1 | filecheck %s --check-prefix=BAD
// BAD: 'bytes'
// LESS: @doubled(
// LESS: llvm.mlir.constant(4096 : i64)

// The exported function stands for all workgroups; what it was is called for each.
// CHECK: hal.executable private @shared
// CHECK: llvm.mlir.global internal @myjit_process
// CHECK: llvm.func internal @myjit_take_part
// CHECK: llvm.func internal @myjit_share
// CHECK: llvm.func @doubled(
// CHECK-NEXT: %[[KERNEL:.*]] = llvm.mlir.addressof @doubled_workgroup
// CHECK-NEXT: llvm.mlir.constant(65536 : i64)
// CHECK-NEXT: llvm.mlir.constant(false)
// CHECK-NEXT: llvm.call @myjit_share(%{{.*}}, %{{.*}}, %{{.*}}, %[[KERNEL]],
// CHECK: llvm.func internal @doubled_workgroup(
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
module attributes {myjit.libraries = ["openmp"]} {
  hal.executable private @shared {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64">) {
      hal.executable.export public @doubled ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %four = arith.constant 4 : index
        hal.return %four, %four, %four : index, index, index
      }
      builtin.module {
        llvm.func @doubled(%env: !llvm.ptr, %dispatch: !llvm.ptr, %group: !llvm.ptr) -> i32 {
          %zero = llvm.mlir.constant(0 : i32) : i32
          llvm.return %zero : i32
        }
      }
    }
  }
}

// -----

// What it calls has threads of its own.
// CHECK: hal.executable private @library
// CHECK: llvm.func @product(
// CHECK: llvm.mlir.constant(true)
// CHECK: llvm.func internal @product_workgroup(
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
module attributes {myjit.libraries = ["openmp"]} {
  hal.executable private @library {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64">) {
      hal.executable.export public @product ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %four = arith.constant 4 : index
        hal.return %four, %four, %four : index, index, index
      } attributes {myjit.own_threads}
      builtin.module {
        llvm.func @product(%env: !llvm.ptr, %dispatch: !llvm.ptr, %group: !llvm.ptr) -> i32 {
          %zero = llvm.mlir.constant(0 : i32) : i32
          llvm.return %zero : i32
        }
      }
    }
  }
}

// -----

// Memory that a workgroup has to itself, and programs for elsewhere: nothing changes.
// CHECK: hal.executable private @memory
// CHECK-NOT: myjit_share
// CHECK: llvm.func @own_memory(
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
module attributes {myjit.libraries = ["openmp"]} {
  hal.executable private @memory {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64">) {
      hal.executable.export public @own_memory ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %four = arith.constant 4 : index
        hal.return %four, %four, %four : index, index, index
      } <workgroup_local_memory = 64>
      builtin.module {
        llvm.func @own_memory(%env: !llvm.ptr, %dispatch: !llvm.ptr, %group: !llvm.ptr) -> i32 {
          %zero = llvm.mlir.constant(0 : i32) : i32
          llvm.return %zero : i32
        }
      }
    }
  }
}

// -----

// CHECK: hal.executable private @elsewhere
// CHECK-NOT: myjit_share
// CHECK: llvm.func @plain(
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
module {
  hal.executable private @elsewhere {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64">) {
      hal.executable.export public @plain ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %four = arith.constant 4 : index
        hal.return %four, %four, %four : index, index, index
      }
      builtin.module {
        llvm.func @plain(%env: !llvm.ptr, %dispatch: !llvm.ptr, %group: !llvm.ptr) -> i32 {
          %zero = llvm.mlir.constant(0 : i32) : i32
          llvm.return %zero : i32
        }
      }
    }
  }
}
