// RUN: myjit opt %s | myjit opt --generic | filecheck %s

!t = !torch.vtensor<[2,?,8],bf16>
func.func @f(%a: !t) -> !t {
  // CHECK: %0 = "fused.rope"(%arg0, %arg0, %arg0) : (
  // CHECK-SAME: -> !torch.vtensor<[2,?,8],bf16>
  %0 = "fused.rope"(%a, %a, %a) : (!t, !t, !t) -> !t
  return %0 : !t
}
