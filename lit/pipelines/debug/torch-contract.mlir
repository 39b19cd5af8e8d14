// RUN: myjit opt --pipeline debug --stop torch-backend --verify-diagnostics %s
// RUN: myjit opt --pipeline cpu --stop torch-backend %s | filecheck %s

// Only debug looks at the IR after torch's own passes.
// CHECK: arith.addf
func.func @main(%a: f32) -> f32 {
  // expected-error@+1 {{arith.addf is not lowered}}
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}
