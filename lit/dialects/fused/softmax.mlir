// RUN: myjit opt %s | myjit opt --generic | filecheck %s

!t = !torch.vtensor<[2,?,8],bf16>
func.func @f(%a: !t) -> !t {
  // CHECK: %0 = "fused.softmax"(%arg0) {dim = 2 : i64} : (
  // CHECK-SAME: -> !torch.vtensor<[2,?,8],bf16>
  %0 = "fused.softmax"(%a) {dim = 2 : i64} : (!t) -> !t
  return %0 : !t
}
