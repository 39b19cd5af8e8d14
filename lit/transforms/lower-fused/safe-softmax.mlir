// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK: %[[MOST:.*]] = torch.aten.amax
// CHECK: torch.aten.eq.Scalar %[[MOST]]
// CHECK: torch.aten.where.self
// CHECK: %[[SUM:.*]] = torch.aten.sum.dim_IntList
// CHECK: torch.aten.eq.Scalar %[[SUM]]
// CHECK: torch.aten.where.self
// CHECK: torch.aten.div.Tensor
// CHECK-NOT: fused
!t = !torch.vtensor<[2,8],f32>
func.func @f(%a: !t) -> !t {
  %0 = "fused.safe_softmax"(%a) {dim = 1 : i64} : (!t) -> !t
  return %0 : !t
}
