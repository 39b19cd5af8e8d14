// RUN: myjit opt --split-input-file --verify-diagnostics %s

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.softmax' op has dim = 2 : i64 for a tensor of rank 2}}
  %0 = "fused.softmax"(%a) {dim = 2 : i64} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.softmax' op has dim = -1 : i64 for a tensor of rank 2}}
  %0 = "fused.softmax"(%a) {dim = -1 : i64} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.softmax' op has dim = "last" for a tensor of rank 2}}
  %0 = "fused.softmax"(%a) {dim = "last"} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32>
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2],si64>) {
  // expected-error@+1 {{'fused.softmax' op takes a float tensor of known rank, not !torch.vtensor<[2],si64>}}
  %0 = "fused.softmax"(%a) {dim = 0 : i64} : (!torch.vtensor<[2],si64>) -> !torch.vtensor<[2],si64>
  return
}

// -----

func.func @f(%a: !torch.vtensor) {
  // expected-error@+1 {{'fused.softmax' op takes a float tensor of known rank, not !torch.vtensor}}
  %0 = "fused.softmax"(%a) {dim = 0 : i64} : (!torch.vtensor) -> !torch.vtensor
  return
}

// -----

func.func @f(%a: !torch.vtensor<[2,8],f32>) {
  // expected-error@+1 {{'fused.softmax' op gives !torch.vtensor<[2,9],f32> for an operand of !torch.vtensor<[2,8],f32>}}
  %0 = "fused.softmax"(%a) {dim = 0 : i64} : (!torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,9],f32>
  return
}
