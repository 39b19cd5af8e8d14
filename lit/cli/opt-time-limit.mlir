// RUN: %exits 8 myjit opt %s --load %S/Inputs/failing.py -p 'cse,spin' --time-limit 0.2 2>&1 | filecheck %s

// CHECK: error: [passes] pass 'spin' of stage 'passes' failed: it did not end within 0.2 s (ran before it: cse)
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  %1 = arith.addf %a, %a : f32
  %2 = arith.mulf %0, %1 : f32
  return %2 : f32
}
