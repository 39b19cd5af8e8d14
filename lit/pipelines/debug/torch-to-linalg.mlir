// RUN: myjit opt --pipeline debug --stop torch-to-linalg %s | filecheck %s
// RUN: myjit opt --pipeline debug --stop torch-backend %s | myjit opt --pipeline debug --start torch-to-linalg --stop linalg | filecheck %s

// CHECK-NOT: torch
// CHECK: func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {myjit.outputs = [0]}
// CHECK: linalg.generic
// CHECK-NOT: torch
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {myjit.outputs = [0]} {
  %0 = torch.aten.relu %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
