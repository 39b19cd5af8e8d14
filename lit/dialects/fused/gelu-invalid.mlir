// RUN: myjit opt --split-input-file --verify-diagnostics %s

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.gelu' op has approximate = "fast", which is neither "none" nor "tanh"}}
  %0 = "fused.gelu"(%a) {approximate = "fast"} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.gelu' op has approximate = 1 : i64, which is neither}}
  %0 = "fused.gelu"(%a) {approximate = 1 : i64} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2],si64>) {
  // expected-error@+1 {{'fused.gelu' op takes a float tensor of known rank, not !torch.vtensor<[2],si64>}}
  %0 = "fused.gelu"(%a) {approximate = "none"} : (!torch.vtensor<[2],si64>) -> !torch.vtensor<[2],si64>
  return
}

// -----

func.func @f(%a: !torch.vtensor) {
  // expected-error@+1 {{'fused.gelu' op takes a float tensor of known rank, not !torch.vtensor}}
  %0 = "fused.gelu"(%a) {approximate = "none"} : (!torch.vtensor) -> !torch.vtensor
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.gelu' op gives !torch.vtensor<[2,9],f32> for an operand of !torch.vtensor<[2,8],f32>}}
  %0 = "fused.gelu"(%a) {approximate = "none"} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,9],f32>
  return
}
