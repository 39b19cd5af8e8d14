// RUN: myjit opt %s -p raise-attention | filecheck %s

!q = !torch.vtensor<[3,2,8],f32>
!k = !torch.vtensor<[3,5,8],f32>
!kt = !torch.vtensor<[3,8,5],f32>
!s = !torch.vtensor<[3,2,5],f32>
// Someone wants to see the weights.
// CHECK-LABEL: @seen_weights
// CHECK-NOT: fused.attention
func.func @seen_weights(%q: !q, %k: !kt, %v: !k) -> (!q, !s) {
  %0 = torch.aten.bmm %q, %k : !q, !kt -> !s
  %1 = "fused.softmax"(%0) {dim = 2 : i64} : (!s) -> !s
  %2 = torch.aten.bmm %1, %v : !s, !k -> !q
  return %2, %1 : !q, !s
}

// CHECK-LABEL: @no_product
// CHECK-NOT: fused.attention
func.func @no_product(%s: !s, %v: !k) -> !q {
  %1 = "fused.softmax"(%s) {dim = 2 : i64} : (!s) -> !s
  %2 = torch.aten.bmm %1, %v : !s, !k -> !q
  return %2 : !q
}

// Rows of -inf are zeros, and there is no mask to say so.
// CHECK-LABEL: @safe_without_mask
// CHECK-NOT: fused.attention
func.func @safe_without_mask(%q: !q, %k: !kt, %v: !k) -> !q {
  %0 = torch.aten.bmm %q, %k : !q, !kt -> !s
  %1 = "fused.safe_softmax"(%0) {dim = 2 : i64} : (!s) -> !s
  %2 = torch.aten.bmm %1, %v : !s, !k -> !q
  return %2 : !q
}
