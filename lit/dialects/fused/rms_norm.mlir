// RUN: myjit opt %s | myjit opt --generic | filecheck %s

!t = !torch.vtensor<[2,?,8],bf16>
func.func @f(%a: !t) -> !t {
  // CHECK: %0 = "fused.rms_norm"(%arg0) {epsilon = 1.000000e-05 : f64} : (
  // CHECK-SAME: -> !torch.vtensor<[2,?,8],bf16>
  %0 = "fused.rms_norm"(%a) {epsilon = 1.000000e-05 : f64} : (!t) -> !t
  return %0 : !t
}
