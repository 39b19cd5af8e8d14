// RUN: myjit opt --pipeline cpu %s | filecheck %s
// RUN: myjit opt --pipeline cpu --stop torch %s | myjit opt --pipeline cpu --start iree | filecheck %s

// CHECK: func.func @main(%arg0: tensor<4xf32>, %arg1: !hal.buffer {iree.abi.output = 0 : index}) -> tensor<4xf32> {
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {myjit.outputs = [0]} {
  %0 = torch.aten.relu %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
