// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK: torch.aten.bmm
// CHECK: torch.aten.add.Tensor {{.*}}, %arg1
// CHECK-NOT: torch.aten.eq.Scalar
// CHECK: torch.aten.bmm
// CHECK-NOT: fused
!t = !torch.vtensor<[3,4,8],f32>
!m = !torch.vtensor<[4,4],f32>
func.func @f(%a: !t, %m: !m) -> !t {
  %0 = "fused.masked_attention"(%a, %a, %a, %m) {scale = 0.5 : f64, empty_rows = "nan"} : (!t, !t, !t, !m) -> !t
  return %0 : !t
}
