// RUN: myjit opt %s -p lower-fused | filecheck %s

!t = !torch.vtensor<[2,8],f32>
// CHECK-LABEL: @f
// CHECK: torch.aten.sigmoid %arg0
// CHECK: torch.aten.mul.Tensor %arg0
// CHECK: torch.aten._softmax
// CHECK-NOT: fused
func.func @f(%a: !t) -> !t {
  %0 = "fused.silu"(%a) : (!t) -> !t
  %1 = "fused.softmax"(%0) {dim = 1 : i64} : (!t) -> !t
  return %1 : !t
}
