// RUN: myjit opt %s -p cse --ensures 'dialects=builtin,func,arith' | filecheck %s
// RUN: %exits 9 myjit opt %s -p cse --ensures 'dialects=builtin,func' 2>&1 | filecheck %s --check-prefix=DIALECT
// RUN: %exits 9 myjit opt %s -p cse --ensures 'dialects=builtin,func,arith illegal-ops=arith.mulf' 2>&1 | filecheck %s --check-prefix=OP
// RUN: %exits 4 myjit opt %s -p cse --ensures 'dialect=func' 2>&1 | filecheck %s --check-prefix=KEY

// CHECK: arith.mulf
// DIALECT: error: [passes] stage 'passes' left operations that may not remain: arith.addf is not lowered
// OP: error: [passes] stage 'passes' left operations that may not remain: arith.mulf is not lowered
// KEY: error: --ensures has no option 'dialect'. Did you mean 'dialects'?
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  %1 = arith.addf %a, %a : f32
  %2 = arith.mulf %0, %1 : f32
  return %2 : f32
}
