// RUN: myjit opt %s -p raise-attention | filecheck %s

!q = !torch.vtensor<[3,2,8],f32>
!k = !torch.vtensor<[3,5,8],f32>
!kt = !torch.vtensor<[3,8,5],f32>
!s = !torch.vtensor<[3,2,5],f32>
!m = !torch.vtensor<[2,5],f32>
!b = !torch.vtensor<[2,5],i1>
// CHECK-LABEL: @added
// CHECK: "fused.masked_attention"(%arg0, %arg1, %arg2, %arg3) {empty_rows = "zeros", scale = 1.000000e+00 : f64}
func.func @added(%q: !q, %k: !k, %v: !k, %m: !m) -> !q {
  %one = torch.constant.int 1
  %two = torch.constant.int 2
  %0 = torch.aten.transpose.int %k, %one, %two : !k, !torch.int, !torch.int -> !kt
  %1 = torch.aten.bmm %q, %0 : !q, !kt -> !s
  %2 = torch.aten.add.Tensor %1, %m, %one : !s, !m, !torch.int -> !s
  %3 = "fused.safe_softmax"(%2) {dim = 2 : i64} : (!s) -> !s
  %4 = torch.aten.bmm %3, %v : !s, !k -> !q
  return %4 : !q
}

// CHECK-LABEL: @chosen
// CHECK: "fused.masked_attention"(%arg0, %arg1, %arg2, %arg3) {empty_rows = "nan"
func.func @chosen(%q: !q, %k: !k, %v: !k, %m: !b) -> !q {
  %one = torch.constant.int 1
  %two = torch.constant.int 2
  %f32 = torch.constant.int 6
  %none = torch.constant.none
  %inf = torch.constant.float 0xFFF0000000000000
  %h = torch.aten.scalar_tensor %inf, %f32, %none, %none, %none : !torch.float, !torch.int, !torch.none, !torch.none, !torch.none -> !torch.vtensor<[],f32>
  %0 = torch.aten.transpose.int %k, %one, %two : !k, !torch.int, !torch.int -> !kt
  %1 = torch.aten.bmm %q, %0 : !q, !kt -> !s
  %2 = torch.aten.where.self %m, %1, %h : !b, !s, !torch.vtensor<[],f32> -> !s
  %3 = "fused.softmax"(%2) {dim = 2 : i64} : (!s) -> !s
  %4 = torch.aten.bmm %3, %v : !s, !k -> !q
  return %4 : !q
}

// CHECK-LABEL: @hidden_and_added
// CHECK: %[[M:.*]] = torch.aten.where.self %arg3, {{.*}}, %arg4
// CHECK: "fused.masked_attention"(%arg0, %arg1, %arg2, %[[M]])
func.func @hidden_and_added(%q: !q, %k: !k, %v: !k, %b: !b, %m: !m) -> !q {
  %one = torch.constant.int 1
  %two = torch.constant.int 2
  %f32 = torch.constant.int 6
  %none = torch.constant.none
  %inf = torch.constant.float 0xFFF0000000000000
  %h = torch.aten.scalar_tensor %inf, %f32, %none, %none, %none : !torch.float, !torch.int, !torch.none, !torch.none, !torch.none -> !torch.vtensor<[],f32>
  %0 = torch.aten.transpose.int %k, %one, %two : !k, !torch.int, !torch.int -> !kt
  %1 = torch.aten.bmm %q, %0 : !q, !kt -> !s
  %2 = torch.aten.add.Tensor %1, %m, %one : !s, !m, !torch.int -> !s
  %3 = torch.aten.where.self %b, %h, %2 : !b, !torch.vtensor<[],f32>, !s -> !s
  %4 = "fused.softmax"(%3) {dim = 2 : i64} : (!s) -> !s
  %5 = torch.aten.bmm %4, %v : !s, !k -> !q
  return %5 : !q
}
