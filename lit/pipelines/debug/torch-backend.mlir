// RUN: myjit opt --pipeline debug --stop torch-backend %s | filecheck %s

// What has no lowering of its own is decomposed; everything is torch's still.
// CHECK-NOT: torch.aten.silu
// CHECK: %[[GATE:.*]] = torch.aten.sigmoid %arg0
// CHECK: torch.aten.mul.Tensor {{.*}}%[[GATE]]
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {myjit.outputs = [0]} {
  %0 = torch.aten.silu %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
