// RUN: myjit opt --split-input-file --verify-diagnostics %s

func.func @f(%x: !torch.vtensor<[3],f32>, %c: !torch.vtensor<[3],f32>, %s: !torch.vtensor<[3],f32>) {
  // expected-error@+1 {{'fused.rope' op needs a last dimension that is even and known, not !torch.vtensor<[3],f32>}}
  %0 = "fused.rope"(%x, %c, %s) : (!torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[?],f32>, %c: !torch.vtensor<[?],f32>, %s: !torch.vtensor<[?],f32>) {
  // expected-error@+1 {{'fused.rope' op needs a last dimension that is even and known, not !torch.vtensor<[?],f32>}}
  %0 = "fused.rope"(%x, %c, %s) : (!torch.vtensor<[?],f32>, !torch.vtensor<[?],f32>, !torch.vtensor<[?],f32>) -> !torch.vtensor<[?],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[],f32>, %c: !torch.vtensor<[],f32>, %s: !torch.vtensor<[],f32>) {
  // expected-error@+1 {{'fused.rope' op needs a last dimension that is even and known, not !torch.vtensor<[],f32>}}
  %0 = "fused.rope"(%x, %c, %s) : (!torch.vtensor<[],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %c: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[1],f32>) {
  // expected-error@+1 {{'fused.rope' op takes cos and sin of one type}}
  %0 = "fused.rope"(%x, %c, %s) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[1],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],si64>, %c: !torch.vtensor<[4],si64>, %s: !torch.vtensor<[4],si64>) {
  // expected-error@+1 {{'fused.rope' op takes a float tensor of known rank}}
  %0 = "fused.rope"(%x, %c, %s) : (!torch.vtensor<[4],si64>, !torch.vtensor<[4],si64>, !torch.vtensor<[4],si64>) -> !torch.vtensor<[4],si64>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %c: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[4],f32>) {
  // expected-error@+1 {{'fused.rope' op gives !torch.vtensor<[2],f32> for an operand}}
  %0 = "fused.rope"(%x, %c, %s) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[2],f32>
  return
}
