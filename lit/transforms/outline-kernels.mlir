// RUN: myjit opt %s -p outline-kernels | filecheck %s

!h = !torch.vtensor<[8,100],f16>
!w = !torch.vtensor<[100],f16>
!f = !torch.vtensor<[8,100],f32>
!a = !torch.vtensor<[2,33,3,4,16],f16>
!q = !torch.vtensor<[2,4,33,16],f16>
!o = !torch.vtensor<[2,33,4,16],f16>

// The casts, the weight and the bias are taken in; the body says what the kernel computes.
// CHECK-LABEL: @norm
// CHECK-NEXT: call @myjit_call_norm__rows_8__columns_100__centred_1__{{.*}}__weighted_1__biased_1__type_1
// CHECK-NEXT: return
func.func @norm(%x: !h, %w: !w, %b: !w) -> !h {
  %half = torch.constant.int 5
  %wide = torch.constant.int 6
  %one = torch.constant.int 1
  %0 = torch.prims.convert_element_type %x, %wide : !h, !torch.int -> !f
  %1 = "fused.layer_norm"(%0) {epsilon = 1.0e-5 : f64} : (!f) -> !f
  %2 = torch.aten.mul.Tensor %1, %w : !f, !w -> !f
  %3 = torch.aten.add.Tensor %2, %b, %one : !f, !w, !torch.int -> !f
  %4 = torch.prims.convert_element_type %3, %half : !f, !torch.int -> !h
  return %4 : !h
}

// What is returned as it is has no weights.
// CHECK-LABEL: @returned
// CHECK-NEXT: call @myjit_call_norm__rows_8__columns_100__centred_1__{{.*}}__weighted_0__biased_0
func.func @returned(%x: !f) -> !f {
  %0 = "fused.layer_norm"(%x) {epsilon = 1.0e-5 : f64} : (!f) -> !f
  return %0 : !f
}

// Columns are no rows, and sizes known only at the call are none for a kernel.
// CHECK-LABEL: @columns
// CHECK-NOT: call
!d = !torch.vtensor<[?,100],f32>
func.func @columns(%x: !f, %y: !d) -> (!f, !d) {
  %0 = "fused.softmax"(%x) {dim = 0 : i64} : (!f) -> !f
  %1 = "fused.softmax"(%y) {dim = 1 : i64} : (!d) -> !d
  return %0, %1 : !f, !d
}

// What is used in between is computed all the same.
// CHECK-LABEL: @used_between
// CHECK: torch.prims.convert_element_type
// CHECK: call @myjit_call_softmax__rows_8__columns_100__zeros_0__type_1__result_0
func.func @used_between(%x: !h) -> (!f, !f) {
  %wide = torch.constant.int 6
  %0 = torch.prims.convert_element_type %x, %wide : !h, !torch.int -> !f
  %1 = "fused.softmax"(%0) {dim = 1 : i64} : (!f) -> !f
  return %0, %1 : !f, !f
}

// Query, key and value are read out of one tensor, and the heads are moved inside.
// CHECK-LABEL: @packed
// CHECK-NEXT: call @myjit_call_attention__{{.*}}__q0_0__qb_6336__qh_16__qm_192__k0_64{{.*}}__v0_128{{.*}}om_64
// CHECK-SAME: (%{{.*}}, %[[X:.*]], %[[X]])
// CHECK-NEXT: return
func.func @packed(%x: !a) -> !o {
  %0 = torch.constant.int 0
  %1 = torch.constant.int 1
  %2 = torch.constant.int 2
  %sq = torch.aten.select.int %x, %2, %0 : !a, !torch.int, !torch.int -> !o
  %sk = torch.aten.select.int %x, %2, %1 : !a, !torch.int, !torch.int -> !o
  %sv = torch.aten.select.int %x, %2, %2 : !a, !torch.int, !torch.int -> !o
  %q = torch.aten.transpose.int %sq, %1, %2 : !o, !torch.int, !torch.int -> !q
  %k = torch.aten.transpose.int %sk, %1, %2 : !o, !torch.int, !torch.int -> !q
  %v = torch.aten.transpose.int %sv, %1, %2 : !o, !torch.int, !torch.int -> !q
  %r = "fused.attention"(%q, %k, %v) {scale = 0.25 : f64} : (!q, !q, !q) -> !q
  %t = torch.aten.transpose.int %r, %1, %2 : !q, !torch.int, !torch.int -> !o
  return %t : !o
}

// The same numbers for other types are a function of its own, of the same kernel.
// CHECK-LABEL: @two_shapes
// CHECK: call @[[SAME:myjit_call_softmax__rows_8__columns_4__.*]](%arg0) :
// CHECK: call @[[SAME]]__1(%arg1) :
!r = !torch.vtensor<[8,4],f32>
!s = !torch.vtensor<[2,4,4],f32>
func.func @two_shapes(%x: !r, %y: !s) -> (!r, !s) {
  %0 = "fused.softmax"(%x) {dim = 1 : i64} : (!r) -> !r
  %1 = "fused.softmax"(%y) {dim = 2 : i64} : (!s) -> !s
  return %0, %1 : !r, !s
}

// CHECK-LABEL: func.func private @myjit_call_norm
// CHECK-SAME: no_inline
// CHECK: fused.layer_norm
