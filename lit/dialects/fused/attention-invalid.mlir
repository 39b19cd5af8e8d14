// RUN: myjit opt --split-input-file --verify-diagnostics %s

func.func @f(%q: !torch.vtensor<[8],f32>, %k: !torch.vtensor<[8],f32>, %v: !torch.vtensor<[8],f32>) {
  // expected-error@+1 {{'fused.attention' op takes float tensors of rank 2 or more}}
  %0 = "fused.attention"(%q, %k, %v) {scale = 1.0 : f64} : (!torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>) -> !torch.vtensor<[8],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[2,2],si64>, %k: !torch.vtensor<[2,2],si64>, %v: !torch.vtensor<[2,2],si64>) {
  // expected-error@+1 {{'fused.attention' op takes float tensors of rank 2 or more}}
  %0 = "fused.attention"(%q, %k, %v) {scale = 1.0 : f64} : (!torch.vtensor<[2,2],si64>, !torch.vtensor<[2,2],si64>, !torch.vtensor<[2,2],si64>) -> !torch.vtensor<[2,2],si64>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>) {
  // expected-error@+1 {{'fused.attention' op takes query, key and value of one rank and element type}}
  %0 = "fused.attention"(%q, %k, %v) {scale = 1.0 : f64} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[5,8],f32>, !torch.vtensor<[3,5,4],f32>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,8],f16>, %v: !torch.vtensor<[3,5,4],f32>) {
  // expected-error@+1 {{'fused.attention' op takes query, key and value of one rank and element type}}
  %0 = "fused.attention"(%q, %k, %v) {scale = 1.0 : f64} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,8],f16>, !torch.vtensor<[3,5,4],f32>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[1,5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>) {
  // expected-error@+1 {{'fused.attention' op takes query, key and value with the same leading dimensions}}
  %0 = "fused.attention"(%q, %k, %v) {scale = 1.0 : f64} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[1,5,8],f32>, !torch.vtensor<[3,5,4],f32>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,4],f32>, %v: !torch.vtensor<[3,5,4],f32>) {
  // expected-error@+1 {{'fused.attention' op has a query of depth 8 and a key of depth 4}}
  %0 = "fused.attention"(%q, %k, %v) {scale = 1.0 : f64} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[3,5,4],f32>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,6,8],f32>, %v: !torch.vtensor<[3,5,4],f32>) {
  // expected-error@+1 {{'fused.attention' op has 6 keys and 5 values}}
  %0 = "fused.attention"(%q, %k, %v) {scale = 1.0 : f64} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,6,8],f32>, !torch.vtensor<[3,5,4],f32>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>) {
  // expected-error@+1 {{'fused.attention' op cannot give !torch.vtensor<[3,2,8],f32>}}
  %0 = "fused.attention"(%q, %k, %v) {scale = 1.0 : f64} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,8],f32>, !torch.vtensor<[3,5,4],f32>) -> !torch.vtensor<[3,2,8],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>) {
  // expected-error@+1 {{'fused.attention' op needs a scale that is a float, not 1 : i64}}
  %0 = "fused.attention"(%q, %k, %v) {scale = 1 : i64} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,8],f32>, !torch.vtensor<[3,5,4],f32>) -> !torch.vtensor<[3,2,4],f32>
  return
}
