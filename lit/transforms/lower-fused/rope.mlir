// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK: %[[FIRST:.*]] = torch.aten.slice.Tensor %arg0
// CHECK: torch.aten.slice.Tensor %arg0
// CHECK: torch.aten.neg
// CHECK: torch.aten.cat
// CHECK: torch.aten.mul.Tensor %arg0, %arg1
// CHECK: torch.aten.add.Tensor
// CHECK-NOT: fused
!t = !torch.vtensor<[2,8],f32>
!c = !torch.vtensor<[8],f32>
func.func @f(%a: !t, %c: !c) -> !t {
  %0 = "fused.rope"(%a, %c, %c) : (!t, !c, !c) -> !t
  return %0 : !t
}
