// RUN: myjit opt %s -p refuse-input-writes --level dispatch --verify-diagnostics

// An input that is read, an output that is given up to be written, and memory of the program's own.
util.func public @fine(%input: !hal.buffer_view, %output: !hal.buffer) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %0 = stream.tensor.import %input : !hal.buffer_view -> tensor<16xf32> in !stream.resource<external>{%c64}
  %1 = stream.tensor.import consume %output : !hal.buffer -> tensor<16xf32> in !stream.resource<external>{%c64}
  %2 = stream.cmd.execute with(%0 as %a: !stream.resource<external>{%c64}, %1 as %b: !stream.resource<external>{%c64}) {
    stream.cmd.fill %zero, %b[%c0 for %c64] : i32 -> !stream.resource<external>{%c64}
    stream.cmd.copy %a[%c0], %b[%c0], %c64 : !stream.resource<external>{%c64} -> !stream.resource<external>{%c64}
  } => !stream.timepoint
  util.return
}

util.func public @wrong(%input: !hal.buffer_view, %output: !hal.buffer) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %0 = stream.tensor.import %input : !hal.buffer_view -> tensor<16xf32> in !stream.resource<external>{%c64}
  %1 = stream.tensor.import consume %output : !hal.buffer -> tensor<16xf32> in !stream.resource<external>{%c64}
  %2 = stream.cmd.execute with(%0 as %a: !stream.resource<external>{%c64}, %1 as %b: !stream.resource<external>{%c64}) {
    stream.cmd.dispatch @kernel::@entry {
      ro %a[%c0 for %c64] : !stream.resource<external>{%c64},
      wo %b[%c0 for %c64] : !stream.resource<external>{%c64}
    }
    // expected-error@+1 {{the compiled code would write into its inputs}}
    stream.cmd.dispatch @kernel::@entry {
      ro %b[%c0 for %c64] : !stream.resource<external>{%c64},
      rw %a[%c0 for %c64] : !stream.resource<external>{%c64}
    }
  } => !stream.timepoint
  %3 = stream.timepoint.await %2 => %0 : !stream.resource<external>{%c64}
  %4 = stream.cmd.execute with(%3 as %a: !stream.resource<external>{%c64}, %1 as %b: !stream.resource<external>{%c64}) {
    stream.cmd.concurrent {
      // expected-error@+1 {{the compiled code would write into its inputs}}
      stream.cmd.copy %b[%c0], %a[%c0], %c64 : !stream.resource<external>{%c64} -> !stream.resource<external>{%c64}
    }
  } => !stream.timepoint
  util.return
}
