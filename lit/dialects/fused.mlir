// RUN: myjit opt %s | myjit opt | filecheck %s
// RUN: myjit opt %s --generic | filecheck %s
// RUN: myjit dialects fused | filecheck %s --check-prefix=LIST

// LIST: fused: gelu, silu, softmax, layer_norm, rms_norm, attention, rope
!t = !torch.vtensor<[2,?,8],bf16>
func.func @all(%a: !t) -> !t {
  // CHECK: "fused.gelu"(%arg0) {approximate = "tanh"}
  %0 = "fused.gelu"(%a) {approximate = "tanh"} : (!t) -> !t
  // CHECK: "fused.silu"(%0)
  %1 = "fused.silu"(%0) : (!t) -> !t
  // CHECK: "fused.softmax"(%1) {dim = 2 : i64}
  %2 = "fused.softmax"(%1) {dim = 2 : i64} : (!t) -> !t
  // CHECK: "fused.layer_norm"(%2) {epsilon = 1.000000e-05 : f64}
  %3 = "fused.layer_norm"(%2) {epsilon = 1.0e-05 : f64} : (!t) -> !t
  // CHECK: "fused.rms_norm"(%3) {epsilon = 1.000000e-05 : f64}
  %4 = "fused.rms_norm"(%3) {epsilon = 1.0e-05 : f64} : (!t) -> !t
  // CHECK: "fused.attention"(%4, %4, %4) {scale = 2.500000e-01 : f64}
  %5 = "fused.attention"(%4, %4, %4) {scale = 0.25 : f64} : (!t, !t, !t) -> !t
  // CHECK: "fused.rope"(%5, %5, %5)
  %6 = "fused.rope"(%5, %5, %5) : (!t, !t, !t) -> !t
  return %6 : !t
}
