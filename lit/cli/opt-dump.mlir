// RUN: rm -rf %t && myjit opt %s -p 'cse,symbol-dce,canonicalize' --dump %t > /dev/null
// RUN: ls %t | filecheck %s --check-prefix=LIST
// RUN: filecheck %s --check-prefix=DIFF --input-file %t/01-passes-cse.diff
// RUN: rm -rf %t2 && myjit opt %s -p 'cse,symbol-dce' --dump %t2 --dump-when pass > /dev/null
// RUN: ls %t2 | filecheck %s --check-prefix=PASS
// RUN: rm -rf %t3 && mkdir %t3 && cp %t/00-input.mlir %t3/passes.mlir
// RUN: myjit opt %s -p cse --override %t3 | filecheck %s --check-prefix=OVERRIDE
// RUN: echo 'nonsense' > %t3/passes.mlir
// RUN: not myjit opt %s -p cse --override %t3 2>&1 | filecheck %s --check-prefix=BAD

// LIST: 00-input.mlir
// LIST-NEXT: 01-passes-cse.diff
// LIST-NEXT: 01-passes-cse.mlir
// LIST-NOT: symbol-dce
// DIFF: -{{ +}}%1 = arith.addf
// PASS: 02-passes-symbol-dce.mlir
// OVERRIDE-COUNT-2: arith.addf
// BAD: error: {{.*}}passes.mlir: not a valid module
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  %1 = arith.addf %a, %a : f32
  %2 = arith.mulf %0, %1 : f32
  return %2 : f32
}
