// RUN: myjit opt %s -p lower-fused | filecheck %s

// Scores and weights are in f32, what the weights multiply is not.
// CHECK: torch.aten.bmm {{.*}} -> !torch.vtensor<[3,4,4],f32>
// CHECK: torch.aten.div.Tensor
// CHECK: torch.prims.convert_element_type {{.*}} -> !torch.vtensor<[3,4,4],f16>
// CHECK: torch.aten.bmm {{.*}} -> !torch.vtensor<[3,4,8],f16>
// CHECK-NOT: fused
!t = !torch.vtensor<[3,4,8],f16>
func.func @f(%a: !t) -> !t {
  %0 = "fused.attention"(%a, %a, %a) {scale = 0.5 : f64} : (!t, !t, !t) -> !t
  return %0 : !t
}
