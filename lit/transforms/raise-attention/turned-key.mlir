// RUN: myjit opt %s -p raise-attention | filecheck %s

// The key comes transposed: it is turned back.
// CHECK: %[[K:.*]] = torch.aten.transpose.int %arg1
// CHECK: "fused.attention"(%arg0, %[[K]], %arg2) {scale = 1.000000e+00 : f64}
!q = !torch.vtensor<[3,2,8],f32>
!k = !torch.vtensor<[3,5,8],f32>
!kt = !torch.vtensor<[3,8,5],f32>
!s = !torch.vtensor<[3,2,5],f32>
func.func @f(%q: !q, %k: !kt, %v: !k) -> !q {
  %0 = torch.aten.matmul %q, %k : !q, !kt -> !s
  %1 = "fused.softmax"(%0) {dim = 2 : i64} : (!s) -> !s
  %2 = torch.aten.matmul %1, %v : !s, !k -> !q
  return %2 : !q
}
