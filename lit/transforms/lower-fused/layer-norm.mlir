// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK: %[[MEAN:.*]] = torch.aten.mean.dim %arg0, {{.*}} -> !torch.vtensor<[2,1],f32>
// CHECK: %[[C:.*]] = torch.aten.sub.Tensor %arg0, %[[MEAN]]
// CHECK: torch.aten.mul.Tensor %[[C]], %[[C]]
// CHECK: %[[R:.*]] = torch.aten.rsqrt
// CHECK: torch.aten.mul.Tensor %[[C]], %[[R]]
// CHECK-NOT: fused
!t = !torch.vtensor<[2,8],f32>
func.func @f(%a: !t) -> !t {
  %0 = "fused.layer_norm"(%a) {epsilon = 1.0e-5 : f64} : (!t) -> !t
  return %0 : !t
}
