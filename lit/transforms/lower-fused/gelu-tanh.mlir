// RUN: myjit opt %s -p lower-fused | filecheck %s

// CHECK-DAG: torch.constant.float 4.471500e-02
// CHECK-DAG: torch.constant.float {{.*}}0.79788456
// CHECK: torch.aten.tanh
// CHECK-NOT: torch.aten.gelu
// CHECK-NOT: fused
!t = !torch.vtensor<[2,8],f32>
func.func @f(%a: !t) -> !t {
  %0 = "fused.gelu"(%a) {approximate = "tanh"} : (!t) -> !t
  return %0 : !t
}
