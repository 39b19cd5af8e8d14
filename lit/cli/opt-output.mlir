// RUN: myjit opt %s -p cse -o %t.mlir
// RUN: filecheck %s --input-file %t.mlir
// RUN: %exits 5 myjit opt %s -o /no/such/folder/x.mlir 2>&1 | filecheck %s --check-prefix=ERROR

// CHECK-COUNT-1: arith.addf
// ERROR: error: cannot write /no/such/folder/x.mlir: No such file or directory
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  %1 = arith.addf %a, %a : f32
  %2 = arith.mulf %0, %1 : f32
  return %2 : f32
}
