// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK: torch.aten.mul.Tensor %arg0, %arg0
// CHECK: torch.aten.mean.dim
// CHECK: %[[R:.*]] = torch.aten.rsqrt
// CHECK: torch.aten.mul.Tensor %arg0, %[[R]]
// CHECK-NOT: torch.aten.sub
// CHECK-NOT: fused
!t = !torch.vtensor<[2,8],f32>
func.func @f(%a: !t) -> !t {
  %0 = "fused.rms_norm"(%a) {epsilon = 1.0e-5 : f64} : (!t) -> !t
  return %0 : !t
}
