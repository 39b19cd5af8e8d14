// RUN: myjit opt --pipeline cpu --stop torch-to-linalg %s | filecheck %s --check-prefix=LINALG
// RUN: myjit opt --pipeline cpu --stop linalg %s | filecheck %s --check-prefix=LINALG
// RUN: myjit opt --pipeline cpu --stop torch-backend %s | filecheck %s --check-prefix=TORCH
// RUN: myjit opt --pipeline cpu %s | filecheck %s --check-prefix=ABI
// RUN: myjit opt --pipeline cpu --stop torch %s | myjit opt --pipeline cpu --start linalg | filecheck %s --check-prefix=ABI

// TORCH: torch.aten.relu
// LINALG-LABEL: func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32>
// LINALG: linalg.generic
// ABI: func.func @main(%arg0: tensor<4xf32>, %arg1: !hal.buffer {iree.abi.output = 0 : index})
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {myjit.outputs = [0]} {
  %0 = torch.aten.relu %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
