// RUN: myjit opt --split-input-file --verify-diagnostics %s

func.func @f(%a: !torch.vtensor<[2],si64>) {
  // expected-error@+1 {{'fused.silu' op takes a float tensor of known rank, not !torch.vtensor<[2],si64>}}
  %0 = "fused.silu"(%a) : (!torch.vtensor<[2],si64>) -> !torch.vtensor<[2],si64>
  return
}

// -----

func.func @f(%a: !torch.vtensor) {
  // expected-error@+1 {{'fused.silu' op takes a float tensor of known rank, not !torch.vtensor}}
  %0 = "fused.silu"(%a) : (!torch.vtensor) -> !torch.vtensor
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.silu' op gives !torch.vtensor<[2,9],f32> for an operand of !torch.vtensor<[2,8],f32>}}
  %0 = "fused.silu"(%a) : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,9],f32>
  return
}
