// RUN: myjit opt --level dispatch --passes avoid-empty-commands %s | filecheck %s

#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>

util.global private @device : !hal.device

// CHECK: hal.executable.export public @kernel
// CHECK: %[[COUNT:.+]] = arith.maxui %{{.+}}, %c1
// CHECK: hal.return %[[COUNT]], %c1{{.*}}, %c1
hal.executable private @executable {
  hal.executable.variant public @cuda target(<"cuda", "cuda-nvptx-fb">) {
    hal.executable.export public @kernel ordinal(0) layout(#layout)
        count(%device: !hal.device, %count: index) -> (index, index, index) {
      %c1 = arith.constant 1 : index
      hal.return %count, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @kernel() {
        return
      }
    }
  }
}

// CHECK-LABEL: @sizes
// CHECK: %[[SIZE:.+]] = arith.maxui %arg0, %c64
// CHECK: stream.resource.alloca {{.+}}{%[[SIZE]]}
// CHECK: stream.resource.alloca {{.+}}{%c128}
util.func public @sizes(%size: index) -> !stream.timepoint {
  %c128 = arith.constant 128 : index
  %0, %first = stream.resource.alloca uninitialized on(#hal.device.affinity<@device>)
      : !stream.resource<transient>{%size} => !stream.timepoint
  %1, %second = stream.resource.alloca uninitialized on(#hal.device.affinity<@device>) await(%first)
      => !stream.resource<transient>{%c128} => !stream.timepoint
  util.return %second : !stream.timepoint
}
