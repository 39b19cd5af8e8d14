// RUN: myjit opt %s | myjit opt --generic | filecheck %s

!t = !torch.vtensor<[2,?,8],bf16>
!m = !torch.vtensor<[?,?],i1>
func.func @f(%a: !t, %m: !m) -> !t {
  // CHECK: %0 = "fused.masked_attention"(%arg0, %arg0, %arg0, %arg1) {empty_rows = "zeros", scale = 2.500000e-01 : f64} : (
  // CHECK-SAME: -> !torch.vtensor<[2,?,8],bf16>
  %0 = "fused.masked_attention"(%a, %a, %a, %m) {empty_rows = "zeros", scale = 2.500000e-01 : f64} : (!t, !t, !t, !m) -> !t
  return %0 : !t
}
