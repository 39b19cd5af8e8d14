// RUN: myjit opt --pipeline fused --stop linalg %s | filecheck %s

// CHECK: func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK: linalg.generic
// CHECK-NOT: torch
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {myjit.outputs = [0]} {
  %0 = torch.aten.silu %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
