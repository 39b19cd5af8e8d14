// RUN: myjit opt %s --load %S/Inputs/failing.py --load %S/../passes/Inputs/patterns.py -p 'mark,mark-once' | filecheck %s
// RUN: echo 'def' > %t-syntax.py && %exits 3 myjit opt %s --load %t-syntax.py 2>&1 | filecheck %s --check-prefix=SYNTAX
// RUN: echo 'import no_such_module' > %t-import.py && %exits 3 myjit opt %s --load %t-import.py 2>&1 | filecheck %s --check-prefix=IMPORT

// CHECK: attributes {marked}
// CHECK: arith.addf {{.*}} {seen}
// SYNTAX: error: loading {{.*}}-syntax.py failed: SyntaxError
// IMPORT: error: loading {{.*}}-import.py failed: ModuleNotFoundError: No module named 'no_such_module'
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  %1 = arith.addf %a, %a : f32
  %2 = arith.mulf %0, %1 : f32
  return %2 : f32
}
