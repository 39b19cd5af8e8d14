// RUN: myjit opt --level kernel --passes write-out-remainders %s | filecheck %s

// One function for each kind, beside the kernels that call it.
// CHECK-DAG: llvm.func internal @[[VECTOR:.+]](%arg0: vector<8xf64>, %arg1: vector<8xf64>) -> vector<8xf64>
// CHECK-DAG: llvm.func internal @[[NUMBER:.+]](%arg0: f64, %arg1: f64) -> f64
// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME: %[[X:.+]]: vector<8xf64>, %[[Y:.+]]: vector<8xf64>, %[[A:.+]]: f64, %[[B:.+]]: f32)
// CHECK: %[[REST:.+]] = llvm.call @{{.+}}(%[[X]], %[[Y]])
// CHECK: llvm.call @{{.+}}(%[[REST]], %[[Y]])
// CHECK: llvm.call @{{.+}}(%[[A]], %[[A]])
// Those of float32 are taken in float64.
// CHECK: %[[WIDE:.+]] = llvm.fpext %[[B]] : f32 to f64
// CHECK: %[[SHORT:.+]] = llvm.call @[[NUMBER]](%[[WIDE]], %{{.+}})
// CHECK: llvm.fptrunc %[[SHORT]] : f64 to f32
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
module {
  hal.executable private @kernels {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64">) {
      hal.executable.export public @kernel ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %one = arith.constant 1 : index
        hal.return %one, %one, %one : index, index, index
      }
      builtin.module {
        llvm.func @kernel(%x: vector<8xf64>, %y: vector<8xf64>, %a: f64, %b: f32) -> f32 {
          %rest = llvm.frem %x, %y : vector<8xf64>
          %again = llvm.frem %rest, %y : vector<8xf64>
          %number = llvm.frem %a, %a : f64
          %short = llvm.frem %b, %b : f32
          llvm.return %short : f32
        }
      }
    }
  }
}
