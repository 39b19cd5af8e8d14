// RUN: %python %S/Inputs/bytecode.py %s %t.mlirbc
// RUN: myjit opt %t.mlirbc -p cse | filecheck %s
// RUN: %python -S -c "open('%t.bad', 'wb').write(bytes([255, 254, 0]))"
// RUN: %exits 5 myjit opt %t.bad 2>&1 | filecheck %s --check-prefix=BAD

// CHECK-COUNT-1: arith.addf
// BAD: error: the input is neither text nor bytecode
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  %1 = arith.addf %a, %a : f32
  %2 = arith.mulf %0, %1 : f32
  return %2 : f32
}
