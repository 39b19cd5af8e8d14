// RUN: myjit opt %s -p raise-attention | filecheck %s
// RUN: sed 's/dim = 2/dim = 1/' %s | myjit opt -p raise-attention | filecheck %s --check-prefix=ROWS

// CHECK: %0 = "fused.attention"(%arg0, %arg1, %arg2) {scale = 2.500000e-01 : f64}
// CHECK-NEXT: return %0
// ROWS-NOT: fused.attention
!q = !torch.vtensor<[3,2,8],f32>
!k = !torch.vtensor<[3,5,8],f32>
!kt = !torch.vtensor<[3,8,5],f32>
!s = !torch.vtensor<[3,2,5],f32>
func.func @f(%q: !q, %k: !k, %v: !k) -> !q {
  %one = torch.constant.int 1
  %two = torch.constant.int 2
  %four = torch.constant.int 4
  %0 = torch.aten.transpose.int %k, %one, %two : !k, !torch.int, !torch.int -> !kt
  %1 = torch.aten.bmm %q, %0 : !q, !kt -> !s
  %2 = torch.aten.div.Scalar %1, %four : !s, !torch.int -> !s
  %3 = "fused.softmax"(%2) {dim = 2 : i64} : (!s) -> !s
  %4 = torch.aten.bmm %3, %v : !s, !k -> !q
  return %4 : !q
}
