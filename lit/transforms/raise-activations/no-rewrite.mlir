// RUN: myjit opt %s -p raise-activations | filecheck %s

!t = !torch.vtensor<[2,8],f32>
// CHECK-LABEL: @another_gate
// CHECK-NOT: fused
func.func @another_gate(%a: !t, %b: !t) -> !t {
  %0 = torch.aten.sigmoid %b : !t -> !t
  %1 = torch.aten.mul.Tensor %0, %a : !t, !t -> !t
  return %1 : !t
}

// CHECK-LABEL: @no_half
// CHECK-NOT: fused
func.func @no_half(%x: !t) -> !t {
  %one = torch.constant.int 1
  %root = torch.constant.float 1.41421356
  %0 = torch.aten.div.Scalar %x, %root : !t, !torch.float -> !t
  %1 = torch.aten.erf %0 : !t -> !t
  %2 = torch.aten.add.Scalar %1, %one, %one : !t, !torch.int, !torch.int -> !t
  %3 = torch.aten.mul.Tensor %2, %x : !t, !t -> !t
  return %3 : !t
}

!u = !torch.vtensor
// CHECK-LABEL: @unknown_rank
// CHECK-NOT: fused
func.func @unknown_rank(%a: !u) -> !u {
  %0 = torch.aten.silu %a : !u -> !u
  return %0 : !u
}
