// RUN: myjit opt --split-input-file --verify-diagnostics %s

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.gelu' op has approximate = "fast", which is neither}}
  %0 = "fused.gelu"(%a) {approximate = "fast"} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.silu' op gives !torch.vtensor<[2,9],f32>}}
  %0 = "fused.silu"(%a) : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,9],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2],si64>) {
  // expected-error@+1 {{'fused.silu' op takes a float tensor of known rank, not !torch.vtensor<[2],si64>}}
  %0 = "fused.silu"(%a) : (!torch.vtensor<[2],si64>) -> !torch.vtensor<[2],si64>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.softmax' op has dim = 2 : i64 for a tensor of rank 2}}
  %0 = "fused.softmax"(%a) {dim = 2 : i64} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.layer_norm' op needs an epsilon that is a float and not negative}}
  %0 = "fused.layer_norm"(%a) {epsilon = -1.0 : f64} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.rms_norm' op needs an epsilon that is a float and not negative}}
  %0 = "fused.rms_norm"(%a) {epsilon = -1.0 : f64} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>, %b: !torch.vtensor<[1,2,8],f32>) {
  // expected-error@+1 {{'fused.attention' op takes query, key and value of one rank}}
  %0 = "fused.attention"(%a, %b, %a) {scale = 1.0 : f64} : (!torch.vtensor<[2,8],f32>, !torch.vtensor<[1,2,8],f32>, !torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>, %b: !torch.vtensor<[2,4],f32>) {
  // expected-error@+1 {{'fused.attention' op has a query of depth 8 and a key of depth 4}}
  %0 = "fused.attention"(%a, %b, %a) {scale = 1.0 : f64} : (!torch.vtensor<[2,8],f32>, !torch.vtensor<[2,4],f32>, !torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>, %b: !torch.vtensor<[3,8],f32>) {
  // expected-error@+1 {{'fused.attention' op has 3 keys and 2 values}}
  %0 = "fused.attention"(%a, %b, %a) {scale = 1.0 : f64} : (!torch.vtensor<[2,8],f32>, !torch.vtensor<[3,8],f32>, !torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[3],f32>) {
  // expected-error@+1 {{'fused.rope' op needs a last dimension that is even}}
  %0 = "fused.rope"(%a, %a, %a) : (!torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f32>
  return
}
