// RUN: myjit opt %s | myjit opt --generic | filecheck %s

!t = !torch.vtensor<[2,?,8],bf16>
func.func @f(%a: !t) -> !t {
  // CHECK: %0 = "fused.gelu"(%arg0) {approximate = "tanh"} : (
  // CHECK-SAME: -> !torch.vtensor<[2,?,8],bf16>
  %0 = "fused.gelu"(%a) {approximate = "tanh"} : (!t) -> !t
  return %0 : !t
}
