// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK: torch.aten.flatten.using_ints {{.*}} -> !torch.vtensor<[?,?,8],f32>
// CHECK: %[[BATCH:.*]] = torch.aten.size.int
// CHECK: torch.prim.ListConstruct %[[BATCH]]
// CHECK: torch.aten.unflatten.int {{.*}} -> !torch.vtensor<[?,3,?,?],f32>
// CHECK-NOT: fused
!t = !torch.vtensor<[?,3,?,8],f32>
func.func @f(%a: !t) -> !t {
  %0 = "fused.attention"(%a, %a, %a) {scale = 0.5 : f64} : (!t, !t, !t) -> !t
  return %0 : !t
}
