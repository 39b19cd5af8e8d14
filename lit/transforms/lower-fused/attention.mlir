// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK: %[[K:.*]] = torch.aten.transpose.int %arg0
// CHECK: torch.aten.bmm {{.*}} -> !torch.vtensor<[6,4,4],f32>
// CHECK: torch.aten.unflatten.int {{.*}} -> !torch.vtensor<[2,3,4,4],f32>
// CHECK: torch.aten.mul.Scalar
// CHECK: torch.aten.amax
// CHECK: torch.aten.div.Tensor
// CHECK: torch.aten.bmm
// CHECK-NOT: fused
!t = !torch.vtensor<[2,3,4,8],f32>
func.func @f(%a: !t) -> !t {
  %0 = "fused.attention"(%a, %a, %a) {scale = 0.5 : f64} : (!t, !t, !t) -> !t
  return %0 : !t
}
