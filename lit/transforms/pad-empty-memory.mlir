// RUN: myjit opt --level dispatch --passes pad-empty-memory %s | filecheck %s

util.global private @device : !hal.device

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
