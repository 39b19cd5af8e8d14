// RUN: myjit opt --level kernel --passes keep-denormals --split-input-file %s | filecheck %s
// RUN: myjit opt --level kernel --passes share-workgroups,keep-denormals --split-input-file %s | filecheck %s --check-prefix SHARED

// The exported function sets the processor's mode, and restores it behind the kernel.
// CHECK: hal.executable private @doubled
// CHECK: llvm.func internal @myjit_keep_denormals
// CHECK: llvm.func internal @myjit_restore_mode
// CHECK: llvm.func @kernel(
// CHECK-NEXT: %[[MODE:.*]] = llvm.call @myjit_keep_denormals()
// CHECK-NEXT: %[[CODE:.*]] = llvm.call @kernel_kernel(
// CHECK-NEXT: llvm.call @myjit_restore_mode(%[[MODE]])
// CHECK-NEXT: llvm.return %[[CODE]]
// CHECK: llvm.func internal @kernel_kernel({{.*}} attributes {{.*}}no_inline

// Where workgroups are shared, each thread does so once.
// SHARED-COUNT-1: llvm.func internal @myjit_keep_denormals
// SHARED: llvm.func internal @myjit_take_part
// SHARED: llvm.call @myjit_keep_denormals()
// SHARED: llvm.call @myjit_restore_mode(
// SHARED: llvm.func @kernel(
// SHARED-NOT: myjit_keep_denormals
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
module attributes {myjit.libraries = ["openmp"]} {
  hal.executable private @doubled {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {target_triple = "x86_64-unknown-unknown-eabi-elf"}>) {
      hal.executable.export public @kernel ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %four = arith.constant 4 : index
        hal.return %four, %four, %four : index, index, index
      }
      builtin.module {
        llvm.func @kernel(%env: !llvm.ptr, %dispatch: !llvm.ptr, %group: !llvm.ptr) -> i32 {
          %zero = llvm.mlir.constant(0 : i32) : i32
          llvm.return %zero : i32
        }
      }
    }
  }
}

// -----

// Other processors keep the mode elsewhere.
// CHECK: hal.executable private @other
// CHECK-NOT: myjit_keep_denormals
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
module {
  hal.executable private @other {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-arm_64", {target_triple = "aarch64-unknown-unknown-eabi-elf"}>) {
      hal.executable.export public @kernel ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %four = arith.constant 4 : index
        hal.return %four, %four, %four : index, index, index
      }
      builtin.module {
        llvm.func @kernel(%env: !llvm.ptr, %dispatch: !llvm.ptr, %group: !llvm.ptr) -> i32 {
          %zero = llvm.mlir.constant(0 : i32) : i32
          llvm.return %zero : i32
        }
      }
    }
  }
}
