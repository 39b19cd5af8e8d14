// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK: %[[GATE:.*]] = torch.aten.sigmoid %arg0
// CHECK: torch.aten.mul.Tensor %arg0, %[[GATE]]
// CHECK-NOT: fused
!t = !torch.vtensor<[2,8],f32>
func.func @f(%a: !t) -> !t {
  %0 = "fused.silu"(%a) : (!t) -> !t
  return %0 : !t
}
