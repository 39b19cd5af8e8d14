// RUN: %exits 8 myjit opt %s --load %S/Inputs/failing.py -p break-ir 2>&1 | filecheck %s --check-prefix=VERIFIED
// RUN: myjit opt %s --load %S/Inputs/failing.py -p break-ir --no-verify --generic | filecheck %s

// VERIFIED: pass 'break-ir' of stage 'passes' failed: 'func.func' op entry block must have 0 arguments
// CHECK: function_type = () -> ()
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  %1 = arith.addf %a, %a : f32
  %2 = arith.mulf %0, %1 : f32
  return %2 : f32
}
