// RUN: myjit opt %s -p "refuse-many-bindings{most=2 numbers=1}" --level dispatch --verify-diagnostics

util.func public @main(%input: !hal.buffer_view, %output: !hal.buffer) {
  %c0 = arith.constant 0 : index
  %size = arith.constant 16 : i32
  %c64 = arith.constant 64 : index
  %0 = stream.tensor.import %input : !hal.buffer_view -> tensor<16xf32> in !stream.resource<external>{%c64}
  %1 = stream.tensor.import consume %output : !hal.buffer -> tensor<16xf32> in !stream.resource<external>{%c64}
  %2 = stream.cmd.execute with(%0 as %a: !stream.resource<external>{%c64}, %1 as %b: !stream.resource<external>{%c64}) {
    stream.cmd.dispatch @kernel::@entry {
      ro %a[%c0 for %c64] : !stream.resource<external>{%c64},
      wo %b[%c0 for %c64] : !stream.resource<external>{%c64}
    }
    // expected-error@+1 {{a kernel would take 3 tensors, and 2 is the most}}
    stream.cmd.dispatch @kernel::@entry {
      ro %a[%c0 for %c64] : !stream.resource<external>{%c64},
      ro %b[%c0 for %c64] : !stream.resource<external>{%c64},
      wo %b[%c0 for %c64] : !stream.resource<external>{%c64}
    }
    // expected-error@+1 {{a kernel would take 2 numbers, and 1 is the most}}
    stream.cmd.dispatch @kernel::@entry(%size, %size : i32, i32) {
      wo %b[%c0 for %c64] : !stream.resource<external>{%c64}
    }
  } => !stream.timepoint
  util.return
}
