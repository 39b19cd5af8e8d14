// RUN: myjit opt %s -p 'outline-kernels{ops=mylib.scale_rows,aten.cumsum kernels=op_a,op_b}' | filecheck %s

!t = !torch.vtensor<[5,100],f32>
!s = !torch.vtensor<[5],f32>

// Sizes, element types and constants are in the name; -1 is written as 64 bits. There is no body.
// CHECK-LABEL: @main
// CHECK: call @myjit_call_op_a__count_3__kind0_0__a0type_0__a0rank_2__a0size0_5__a0size1_100__kind1_0
// CHECK-SAME: __kind2_2__a2_13826050856027422720__result_0(%arg0, %arg1)
// CHECK: call @myjit_call_op_b__{{.*}}__kind1_1__a1_18446744073709551615__kind2_4__result_0(
func.func @main(%x: !t, %s: !s) -> !t {
  %f = torch.constant.float -5.0e-01
  %d = torch.constant.int -1
  %n = torch.constant.none
  %0 = torch.operator "torch.mylib.scale_rows"(%x, %s, %f) : (!t, !s, !torch.float) -> !t
  %1 = torch.aten.cumsum %0, %d, %n : !t, !torch.int, !torch.none -> !t
  return %1 : !t
}

// Sizes that are not known, and numbers that are not constant, are for no kernel.
// CHECK-LABEL: @others
// CHECK-NOT: call @
!u = !torch.vtensor<[?,100],f32>
func.func @others(%x: !u, %y: !t, %d: !torch.int) -> (!u, !t) {
  %one = torch.constant.int 1
  %n = torch.constant.none
  %0 = torch.aten.cumsum %x, %one, %n : !u, !torch.int, !torch.none -> !u
  %1 = torch.aten.cumsum %y, %d, %n : !t, !torch.int, !torch.none -> !t
  return %0, %1 : !u, !t
}

// CHECK: func.func private @myjit_call_op_a{{.*}}no_inline}{{$}}
