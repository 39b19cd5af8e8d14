// RUN: myjit opt --split-input-file --verify-diagnostics %s

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.rms_norm' op needs an epsilon that is a float and not negative, not -1.000000e+00 : f64}}
  %0 = "fused.rms_norm"(%a) {epsilon = -1.0 : f64} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.rms_norm' op needs an epsilon that is a float and not negative, not 1 : i64}}
  %0 = "fused.rms_norm"(%a) {epsilon = 1 : i64} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2],si64>) {
  // expected-error@+1 {{'fused.rms_norm' op takes a float tensor of known rank, not !torch.vtensor<[2],si64>}}
  %0 = "fused.rms_norm"(%a) {epsilon = 1.0e-5 : f64} : (!torch.vtensor<[2],si64>) -> !torch.vtensor<[2],si64>
  return
}

// -----

func.func @f(%a: !torch.vtensor) {
  // expected-error@+1 {{'fused.rms_norm' op takes a float tensor of known rank, not !torch.vtensor}}
  %0 = "fused.rms_norm"(%a) {epsilon = 1.0e-5 : f64} : (!torch.vtensor) -> !torch.vtensor
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.rms_norm' op gives !torch.vtensor<[2,9],f32> for an operand of !torch.vtensor<[2,8],f32>}}
  %0 = "fused.rms_norm"(%a) {epsilon = 1.0e-5 : f64} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,9],f32>
  return
}
