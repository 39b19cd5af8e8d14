// RUN: myjit opt --pipeline cpu --start torch-to-linalg --verify-diagnostics %s
// RUN: not myjit opt --pipeline cpu --start torch-to-linalg %s 2>&1 | filecheck %s

// CHECK: error: [torch-to-linalg] pass 'refuse-unlowered' of stage 'torch-to-linalg' failed: no lowering for torch.custom.op
// CHECK-SAME: ran before it: torch-restructure-non-constant-axes
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  // expected-error@+1 {{no lowering for torch.custom.op}}
  %0 = torch.operator "torch.custom.op"(%a) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
