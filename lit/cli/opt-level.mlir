// RUN: myjit opt %s --level iree -p 'util.func(canonicalize)' | filecheck %s
// RUN: %exits 2 myjit opt %s --level linalg -p iree-flow-canonicalize 2>&1 | filecheck %s --check-prefix=OURS
// RUN: %exits 2 myjit opt %s --level iree -p convert-torch-to-stablehlo 2>&1 | filecheck %s --check-prefix=THEIRS
// RUN: %exits 2 myjit opt %s --level fx 2>&1 | filecheck %s --check-prefix=FX

// A pass belongs to one of the two MLIRs; so does a dialect.
// CHECK: util.func public @f
// OURS: error: --passes: no pass called 'iree-flow-canonicalize'.
// THEIRS: error: --passes: no pass called 'convert-torch-to-stablehlo'.
// FX: invalid choice: 'fx'
util.func public @f(%a: i32) -> i32 { util.return %a : i32 }
