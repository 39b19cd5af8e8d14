// RUN: myjit opt --pipeline fused --stop raise %s | filecheck %s

// CHECK: "fused.silu"(%arg0)
// CHECK-NOT: torch.aten.silu
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {myjit.outputs = [0]} {
  %0 = torch.aten.silu %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
