// RUN: myjit opt --pipeline fused --stop lower-fused %s | filecheck %s
// RUN: myjit opt --pipeline fused --stop raise %s | myjit opt --pipeline fused --start lower-fused --stop lower-fused | filecheck %s

// CHECK-NOT: fused
// CHECK: %[[GATE:.*]] = torch.aten.sigmoid %arg0
// CHECK: torch.aten.mul.Tensor %arg0, %[[GATE]]
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {myjit.outputs = [0]} {
  %0 = torch.aten.silu %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
