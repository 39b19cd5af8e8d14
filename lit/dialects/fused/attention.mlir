// RUN: myjit opt %s | myjit opt --generic | filecheck %s

!t = !torch.vtensor<[2,?,8],bf16>
func.func @f(%a: !t) -> !t {
  // CHECK: %0 = "fused.attention"(%arg0, %arg0, %arg0) {scale = 2.500000e-01 : f64} : (
  // CHECK-SAME: -> !torch.vtensor<[2,?,8],bf16>
  %0 = "fused.attention"(%a, %a, %a) {scale = 2.500000e-01 : f64} : (!t, !t, !t) -> !t
  return %0 : !t
}
