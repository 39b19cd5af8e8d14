// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK: torch.constant.float 0xFFF0000000000000
// CHECK: torch.aten.bmm
// CHECK: %[[HIDDEN:.*]] = torch.aten.scalar_tensor
// CHECK: torch.aten.where.self %arg1, {{.*}}, %[[HIDDEN]]
// CHECK: torch.aten.eq.Scalar
// CHECK-NOT: fused
!t = !torch.vtensor<[3,4,8],f32>
!m = !torch.vtensor<[4,4],i1>
func.func @f(%a: !t, %m: !m) -> !t {
  %0 = "fused.masked_attention"(%a, %a, %a, %m) {scale = 0.5 : f64, empty_rows = "zeros"} : (!t, !t, !t, !m) -> !t
  return %0 : !t
}
