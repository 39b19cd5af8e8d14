// RUN: myjit opt %s -p 'apply-pdl{file=%S/Inputs/double.pdl.mlir}' | filecheck %s
// RUN: not myjit opt %s -p 'apply-pdl{file=/no/such}' 2>&1 | filecheck %s --check-prefix=NOFILE
// RUN: not myjit opt %s -p 'apply-pdl{text="pdl.pattern"}' 2>&1 | filecheck %s --check-prefix=BAD

// NOFILE: error: pass 'apply-pdl' cannot read its file
// BAD: error: [passes] pass 'apply-pdl' of stage 'passes' failed: expected

// CHECK-LABEL: @same
// CHECK: arith.mulf %arg0, %arg0
func.func @same(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}

// CHECK-LABEL: @different
// CHECK: arith.addf %arg0, %arg1
func.func @different(%a: f32, %b: f32) -> f32 {
  %0 = arith.addf %a, %b : f32
  return %0 : f32
}
