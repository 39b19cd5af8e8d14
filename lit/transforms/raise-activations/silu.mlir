// RUN: myjit opt %s -p raise-activations | filecheck %s

!t = !torch.vtensor<[2,8],f32>
// CHECK-LABEL: @whole
// CHECK-NEXT: %0 = "fused.silu"(%arg0)
func.func @whole(%a: !t) -> !t {
  %0 = torch.aten.silu %a : !t -> !t
  return %0 : !t
}

// CHECK-LABEL: @by_hand
// CHECK-NEXT: %0 = "fused.silu"(%arg0)
// CHECK-NEXT: return
func.func @by_hand(%a: !t) -> !t {
  %0 = torch.aten.sigmoid %a : !t -> !t
  %1 = torch.aten.mul.Tensor %0, %a : !t, !t -> !t
  return %1 : !t
}

// CHECK-LABEL: @quotient
// CHECK: "fused.silu"(%arg0)
// CHECK-NOT: torch.aten.exp
func.func @quotient(%a: !t) -> !t {
  %one = torch.constant.int 1
  %0 = torch.aten.neg %a : !t -> !t
  %1 = torch.aten.exp %0 : !t -> !t
  %2 = torch.aten.add.Scalar %1, %one, %one : !t, !torch.int, !torch.int -> !t
  %3 = torch.aten.div.Tensor %a, %2 : !t, !t -> !t
  return %3 : !t
}
