// RUN: myjit opt %s -p cse | filecheck %s
// RUN: myjit opt %s -p 'builtin.module(func.func(cse,canonicalize))' | filecheck %s
// RUN: myjit opt %s | filecheck %s --check-prefix=PLAIN
// RUN: myjit opt %s --generic | filecheck %s --check-prefix=GENERIC
// RUN: myjit opt %s --locations | filecheck %s --check-prefix=LOC
// RUN: myjit opt %s -p cse --time 2>&1 | filecheck %s --check-prefix=TIME
// RUN: myjit opt - -p cse < %s | filecheck %s

// CHECK-COUNT-1: arith.addf
// CHECK: arith.mulf %0, %0
// PLAIN-COUNT-2: arith.addf
// GENERIC: "func.func"() <{
// LOC: loc("-":
// TIME: ms % stage pass
// TIME: 100.0 passes cse
// TIME: 100.0 total
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  %1 = arith.addf %a, %a : f32
  %2 = arith.mulf %0, %1 : f32
  return %2 : f32
}
