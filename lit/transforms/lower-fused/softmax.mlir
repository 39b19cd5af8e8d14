// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK: torch.aten.amax %arg0, {{.*}} -> !torch.vtensor<[1,8],f32>
// CHECK: torch.aten.sub.Tensor
// CHECK: %[[E:.*]] = torch.aten.exp
// CHECK: %[[S:.*]] = torch.aten.sum.dim_IntList %[[E]]
// CHECK: torch.aten.div.Tensor %[[E]], %[[S]]
// CHECK-NOT: fused
!t = !torch.vtensor<[2,8],f32>
func.func @f(%a: !t) -> !t {
  %0 = "fused.softmax"(%a) {dim = 0 : i64} : (!t) -> !t
  return %0 : !t
}
