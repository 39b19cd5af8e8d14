// RUN: myjit opt %s -p raise-activations | filecheck %s
// RUN: sed s/4.4715e-02/4.5e-02/ %s | myjit opt -p raise-activations | filecheck %s --check-prefix=OTHER

// CHECK: %0 = "fused.gelu"(%arg0) {approximate = "tanh"}
// CHECK-NEXT: return %0
// OTHER-NOT: fused
!t = !torch.vtensor<[2,8],f32>
func.func @f(%x: !t) -> !t {
  %one = torch.constant.int 1
  %half = torch.constant.float 5.0e-1
  %three = torch.constant.float 3.0
  %small = torch.constant.float 4.4715e-02
  %root = torch.constant.float 0.7978845608
  %0 = torch.aten.pow.Tensor_Scalar %x, %three : !t, !torch.float -> !t
  %1 = torch.aten.mul.Scalar %0, %small : !t, !torch.float -> !t
  %2 = torch.aten.add.Tensor %x, %1, %one : !t, !t, !torch.int -> !t
  %3 = torch.aten.mul.Scalar %2, %root : !t, !torch.float -> !t
  %4 = torch.aten.tanh %3 : !t -> !t
  %5 = torch.aten.add.Scalar %4, %one, %one : !t, !torch.int, !torch.int -> !t
  %6 = torch.aten.mul.Scalar %x, %half : !t, !torch.float -> !t
  %7 = torch.aten.mul.Tensor %6, %5 : !t, !t -> !t
  return %7 : !t
}
