// RUN: myjit opt --pipeline fused --stop torch-backend %s | filecheck %s

// CHECK-NOT: fused
// CHECK: torch.aten.sigmoid
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {myjit.outputs = [0]} {
  %0 = torch.aten.silu %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
