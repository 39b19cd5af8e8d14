// RUN: myjit opt --level kernel --passes scale-exponentials --split-input-file %s | filecheck %s

// What write-out-exponentials ends with becomes a call; two registers are scaled one by one.
// CHECK-LABEL: llvm.func internal @myjit_exponential_0(
// CHECK-SAME: vector<32xf32>) -> vector<32xf32> attributes {always_inline
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME: %[[X:.+]]: vector<32xf32>, %{{.+}}: vector<32xi32>
// CHECK: %[[Y:.+]] = llvm.call @myjit_exponential_0(%[[X]])
// CHECK: llvm.return %[[Y]]
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
#cpu = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f"}>
module attributes {myjit.processor = #cpu} {
  hal.executable private @kernels {
    hal.executable.variant public @cpu target(#cpu) {
      hal.executable.export public @kernel ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %one = arith.constant 1 : index
        hal.return %one, %one, %one : index, index, index
      }
      builtin.module {
        llvm.func @kernel(%x: vector<32xf32>, %bits: vector<32xi32>) -> vector<32xf32> {
          %greatest = llvm.mlir.constant(dense<88.7228317> : vector<32xf32>) : vector<32xf32>
          %zero_from = llvm.mlir.constant(dense<-103.972084> : vector<32xf32>) : vector<32xf32>
          %zero = llvm.mlir.constant(dense<0.0> : vector<32xf32>) : vector<32xf32>
          %scale = llvm.mlir.constant(dense<1.0> : vector<32xf32>) : vector<32xf32>
          %infinity = llvm.mlir.constant(dense<0x7F800000> : vector<32xf32>) : vector<32xf32>
          %power = llvm.bitcast %bits : vector<32xi32> to vector<32xf32>
          %is_zero = llvm.fcmp "olt" %x, %zero_from : vector<32xf32>
          %above = llvm.select %is_zero, %zero, %power : vector<32xi1>, vector<32xf32>
          %finite = llvm.fmul %above, %scale : vector<32xf32>
          %is_finite = llvm.fcmp "ole" %x, %greatest : vector<32xf32>
          %infinite = llvm.fadd %x, %infinity : vector<32xf32>
          %exponential = llvm.select %is_finite, %finite, %infinite : vector<32xi1>, vector<32xf32>
          llvm.return %exponential : vector<32xf32>
        }
      }
    }
  }
}

// -----

// Without AVX-512 everything stays.
// CHECK-NOT: myjit_exponential
// CHECK-LABEL: llvm.func @kernel(
// CHECK: llvm.fadd
// CHECK-NEXT: %[[Y:.+]] = llvm.select
// CHECK-NEXT: llvm.return %[[Y]]
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
#cpu = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>
module attributes {myjit.processor = #cpu} {
  hal.executable private @kernels {
    hal.executable.variant public @cpu target(#cpu) {
      hal.executable.export public @kernel ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %one = arith.constant 1 : index
        hal.return %one, %one, %one : index, index, index
      }
      builtin.module {
        llvm.func @kernel(%x: vector<32xf32>, %bits: vector<32xi32>) -> vector<32xf32> {
          %greatest = llvm.mlir.constant(dense<88.7228317> : vector<32xf32>) : vector<32xf32>
          %zero_from = llvm.mlir.constant(dense<-103.972084> : vector<32xf32>) : vector<32xf32>
          %zero = llvm.mlir.constant(dense<0.0> : vector<32xf32>) : vector<32xf32>
          %scale = llvm.mlir.constant(dense<1.0> : vector<32xf32>) : vector<32xf32>
          %infinity = llvm.mlir.constant(dense<0x7F800000> : vector<32xf32>) : vector<32xf32>
          %power = llvm.bitcast %bits : vector<32xi32> to vector<32xf32>
          %is_zero = llvm.fcmp "olt" %x, %zero_from : vector<32xf32>
          %above = llvm.select %is_zero, %zero, %power : vector<32xi1>, vector<32xf32>
          %finite = llvm.fmul %above, %scale : vector<32xf32>
          %is_finite = llvm.fcmp "ole" %x, %greatest : vector<32xf32>
          %infinite = llvm.fadd %x, %infinity : vector<32xf32>
          %exponential = llvm.select %is_finite, %finite, %infinite : vector<32xi1>, vector<32xf32>
          llvm.return %exponential : vector<32xf32>
        }
      }
    }
  }
}
