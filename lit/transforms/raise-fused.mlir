// RUN: myjit opt %s -p raise-fused | filecheck %s

!t = !torch.vtensor<[2,8],f32>
// CHECK-LABEL: @silu
// CHECK-NEXT: %0 = "fused.silu"(%arg0)
// CHECK-NEXT: return
func.func @silu(%a: !t) -> !t {
  %0 = torch.aten.sigmoid %a : !t -> !t
  %1 = torch.aten.mul.Tensor %0, %a : !t, !t -> !t
  return %1 : !t
}

// CHECK-LABEL: @other_gate
// CHECK-NOT: fused
func.func @other_gate(%a: !t, %b: !t) -> !t {
  %0 = torch.aten.sigmoid %b : !t -> !t
  %1 = torch.aten.mul.Tensor %0, %a : !t, !t -> !t
  return %1 : !t
}
