// RUN: myjit opt --pipeline fused %s | filecheck %s

// CHECK: %arg1: !hal.buffer {iree.abi.output = 0 : index}
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {myjit.outputs = [0]} {
  %0 = torch.aten.silu %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
