// RUN: myjit opt %s -p refuse-unlowered --split-input-file --verify-diagnostics

// Each one that is left, not the constants that it takes.
func.func @two(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {
  %one = torch.constant.int 1
  // expected-error@+1 {{no lowering for torch.aten.add.Scalar}}
  %0 = torch.aten.add.Scalar %a, %one, %one : !torch.vtensor<[2],f32>, !torch.int, !torch.int -> !torch.vtensor<[2],f32>
  // expected-error@+1 {{no lowering for torch.my.op}}
  %1 = torch.operator "torch.my.op"(%0) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  return %1 : !torch.vtensor<[2],f32>
}

// -----

func.func @none(%a: f32) -> f32 {
  %one = torch.constant.int 1
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}
