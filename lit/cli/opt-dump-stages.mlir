// RUN: rm -rf %t && myjit opt %s --pipeline cpu --dump %t --dump-when stage > /dev/null
// RUN: ls %t | filecheck %s
// RUN: mkdir -p %t2 && cp %t/02-torch-to-linalg.mlir %t2
// RUN: sed 's/math.tanh/math.exp/' %t2/02-torch-to-linalg.mlir > %t2/edited && mv %t2/edited %t2/02-torch-to-linalg.mlir
// RUN: myjit opt %s --pipeline cpu --override %t2 | filecheck %s --check-prefix=EDITED

// Dump, edit, run again with what was edited.
// CHECK: 00-input.mlir
// CHECK: 01-torch-backend.diff
// CHECK-NEXT: 01-torch-backend.mlir
// CHECK: 02-torch-to-linalg.mlir
// CHECK: 03-math.mlir
// CHECK: 04-sums.mlir
// CHECK: 05-abi.mlir
// CHECK: 06-convolutions.mlir
// EDITED: math.exp
// EDITED-NOT: math.tanh
func.func @f(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {
  %0 = torch.aten.tanh %a : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return %0 : !torch.vtensor<[2],f32>
}
