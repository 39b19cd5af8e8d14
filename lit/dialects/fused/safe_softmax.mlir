// RUN: myjit opt %s | myjit opt --generic | filecheck %s

!t = !torch.vtensor<[2,?,8],bf16>
func.func @f(%a: !t) -> !t {
  // CHECK: %0 = "fused.safe_softmax"(%arg0) {dim = 0 : i64} : (
  // CHECK-SAME: -> !torch.vtensor<[2,?,8],bf16>
  %0 = "fused.safe_softmax"(%a) {dim = 0 : i64} : (!t) -> !t
  return %0 : !t
}
