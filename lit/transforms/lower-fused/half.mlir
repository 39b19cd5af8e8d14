// RUN: myjit opt %s -p lower-fused | filecheck %s

// A half type is computed in f32 and rounded once.
// CHECK: %[[WIDE:.*]] = torch.prims.convert_element_type %arg0{{.*}} -> !torch.vtensor<[2,8],f32>
// CHECK: torch.aten.sigmoid %[[WIDE]]
// CHECK: torch.aten.mul.Tensor
// CHECK: torch.prims.convert_element_type {{.*}} -> !torch.vtensor<[2,8],bf16>
// CHECK-NOT: fused
!t = !torch.vtensor<[2,8],bf16>
func.func @f(%a: !t) -> !t {
  %0 = "fused.silu"(%a) : (!t) -> !t
  return %0 : !t
}
