// RUN: myjit opt --level kernel --passes keep-products %s | filecheck %s

// A sum of two products is rounded three times; one that a loop adds up stays one operation.
// CHECK-LABEL: llvm.func @kernel(
// CHECK: llvm.fmul %{{.+}}, %{{.+}} fastmath<contract> : f32
// CHECK: llvm.fsub %{{.+}}, %{{.+}} : f32
// CHECK: llvm.fadd %{{.+}}, %{{.+}} : f32
// CHECK: ^bb1(%[[SUM:.+]]: f32, %{{.+}}: i64)
// CHECK: %[[NEXT:.+]] = llvm.fadd %{{.+}}, %[[SUM]] fastmath<contract> : f32
// CHECK: llvm.fadd %[[NEXT]], %{{.+}} fastmath<contract> : f32
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
module {
  hal.executable private @kernels {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64">) {
      hal.executable.export public @kernel ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %one = arith.constant 1 : index
        hal.return %one, %one, %one : index, index, index
      }
      builtin.module {
        llvm.func @kernel(%a: f32, %b: f32, %count: i64) -> f32 {
          %one = llvm.mlir.constant(1 : i64) : i64
          %square = llvm.fmul %a, %a fastmath<contract> : f32
          %other = llvm.fmul %b, %b fastmath<contract> : f32
          %difference = llvm.fsub %square, %other fastmath<contract> : f32
          %start = llvm.fadd %difference, %square fastmath<contract> : f32
          llvm.br ^loop(%start, %count : f32, i64)
        ^loop(%sum: f32, %left: i64):
          %product = llvm.fmul %sum, %b fastmath<contract> : f32
          %next = llvm.fadd %product, %sum fastmath<contract> : f32
          %again = llvm.fadd %next, %product fastmath<contract> : f32
          %rest = llvm.sub %left, %one : i64
          %goes_on = llvm.icmp "eq" %rest, %one : i64
          llvm.cond_br %goes_on, ^loop(%again, %rest : f32, i64), ^done
        ^done:
          llvm.return %again : f32
        }
      }
    }
  }
}
