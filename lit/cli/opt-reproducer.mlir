// RUN: rm -rf %t && not myjit opt %s --load %S/Inputs/failing.py -p 'cse,raise{text="a b"}' --reproducer %t
// RUN: bash -c 'head -q -n 1 %t/*.mlir' | filecheck %s
// RUN: bash -c 'filecheck %s --check-prefix=IR < %t/*.mlir'

// The file starts with the command; the IR is what the failing pass saw.
// CHECK: // myjit opt --load {{.*}}failing.py --passes 'raise{text="a b"}' {{.*}}raise-{{[0-9a-f]+}}.mlir
// IR-COUNT-1: arith.addf
// IR-NOT: arith.addf
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  %1 = arith.addf %a, %a : f32
  %2 = arith.mulf %0, %1 : f32
  return %2 : f32
}
