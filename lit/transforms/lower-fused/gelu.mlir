// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK: %[[FORM:.*]] = torch.constant.str "none"
// CHECK: torch.aten.gelu %arg0, %[[FORM]]
// CHECK-NOT: fused
!t = !torch.vtensor<[2,8],f32>
func.func @f(%a: !t) -> !t {
  %0 = "fused.gelu"(%a) {approximate = "none"} : (!t) -> !t
  return %0 : !t
}
