// RUN: myjit opt --split-input-file --verify-diagnostics %s

func.func @f(%q: !torch.vtensor<[8],f32>, %k: !torch.vtensor<[8],f32>, %v: !torch.vtensor<[8],f32>, %m: !torch.vtensor<[2,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op takes float tensors of rank 2 or more}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>, !torch.vtensor<[2,5],i1>) -> !torch.vtensor<[8],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[2,2],si64>, %k: !torch.vtensor<[2,2],si64>, %v: !torch.vtensor<[2,2],si64>, %m: !torch.vtensor<[2,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op takes float tensors of rank 2 or more}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[2,2],si64>, !torch.vtensor<[2,2],si64>, !torch.vtensor<[2,2],si64>, !torch.vtensor<[2,5],i1>) -> !torch.vtensor<[2,2],si64>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>, %m: !torch.vtensor<[2,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op takes query, key and value of one rank and element type}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[5,8],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[2,5],i1>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,8],f16>, %v: !torch.vtensor<[3,5,4],f32>, %m: !torch.vtensor<[2,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op takes query, key and value of one rank and element type}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,8],f16>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[2,5],i1>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[1,5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>, %m: !torch.vtensor<[2,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op takes query, key and value with the same leading dimensions}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[1,5,8],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[2,5],i1>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,4],f32>, %v: !torch.vtensor<[3,5,4],f32>, %m: !torch.vtensor<[2,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op has a query of depth 8 and a key of depth 4}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[2,5],i1>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,6,8],f32>, %v: !torch.vtensor<[3,5,4],f32>, %m: !torch.vtensor<[2,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op has 6 keys and 5 values}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,6,8],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[2,5],i1>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>, %m: !torch.vtensor<[2,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op cannot give !torch.vtensor<[3,2,8],f32>}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,8],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[2,5],i1>) -> !torch.vtensor<[3,2,8],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>, %m: !torch.vtensor<[2,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op needs a scale that is a float, not 1 : i64}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1 : i64, empty_rows = "nan"} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,8],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[2,5],i1>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>, %m: !torch.vtensor<[2,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op has empty_rows = "ones", which is neither "nan" nor "zeros"}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "ones"} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,8],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[2,5],i1>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>, %m: !torch.vtensor<[2,5],si64>) {
  // expected-error@+1 {{'fused.masked_attention' op takes a mask of i1 or f32, not !torch.vtensor<[2,5],si64>}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,8],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[2,5],si64>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],bf16>, %k: !torch.vtensor<[3,5,8],bf16>, %v: !torch.vtensor<[3,5,4],bf16>, %m: !torch.vtensor<[2,5],bf16>) {
  // expected-error@+1 {{'fused.masked_attention' op takes a mask of i1 or f32, not}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[3,2,8],bf16>, !torch.vtensor<[3,5,8],bf16>, !torch.vtensor<[3,5,4],bf16>, !torch.vtensor<[2,5],bf16>) -> !torch.vtensor<[3,2,4],bf16>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>, %m: !torch.vtensor<[3,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op has a mask !torch.vtensor<[3,5],i1> for scores of shape [3, 2, 5]}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,8],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[3,5],i1>) -> !torch.vtensor<[3,2,4],f32>
  return
}

// -----

func.func @f(%q: !torch.vtensor<[3,2,8],f32>, %k: !torch.vtensor<[3,5,8],f32>, %v: !torch.vtensor<[3,5,4],f32>, %m: !torch.vtensor<[1,3,2,5],i1>) {
  // expected-error@+1 {{'fused.masked_attention' op has a mask}}
  %0 = "fused.masked_attention"(%q, %k, %v, %m) {scale = 1.0 : f64, empty_rows = "nan"} : (!torch.vtensor<[3,2,8],f32>, !torch.vtensor<[3,5,8],f32>, !torch.vtensor<[3,5,4],f32>, !torch.vtensor<[1,3,2,5],i1>) -> !torch.vtensor<[3,2,4],f32>
  return
}
