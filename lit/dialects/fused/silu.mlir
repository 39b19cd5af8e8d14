// RUN: myjit opt %s | myjit opt --generic | filecheck %s

!t = !torch.vtensor<[2,?,8],bf16>
func.func @f(%a: !t) -> !t {
  // CHECK: %0 = "fused.silu"(%arg0) : (
  // CHECK-SAME: -> !torch.vtensor<[2,?,8],bf16>
  %0 = "fused.silu"(%a) : (!t) -> !t
  return %0 : !t
}
