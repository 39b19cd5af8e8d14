// RUN: myjit opt %s --load %S/Inputs/patterns.py -p square-to-power | filecheck %s
// RUN: myjit opt %s --load %S/Inputs/patterns.py -p 'square-to-power{exponent=3.0}' | filecheck %s --check-prefix=CUBE
// RUN: myjit opt %s --load %S/Inputs/patterns.py -p mark-once | filecheck %s --check-prefix=MARK
// RUN: not myjit opt %s --load %S/Inputs/patterns.py -p swap 2>&1 | filecheck %s --check-prefix=LOOP

// CHECK: %[[TWO:.*]] = arith.constant 2.0
// CHECK: math.powf %arg0, %[[TWO]]
// CUBE: arith.constant 3.0
// MARK: arith.addf {{.*}} {seen}
// LOOP: error: [passes] pass 'swap' of stage 'passes' failed: the patterns still apply after 10 rounds
func.func @f(%a: f32, %b: f32) -> (f32, f32, f32) {
  %0 = arith.mulf %a, %a : f32
  // CHECK: arith.mulf %arg0, %arg1
  %1 = arith.mulf %a, %b : f32
  %2 = arith.addf %a, %b : f32
  return %0, %1, %2 : f32, f32, f32
}
