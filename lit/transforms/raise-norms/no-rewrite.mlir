// RUN: myjit opt %s -p raise-norms | filecheck %s

!t = !torch.vtensor<[2,8],f32>
!r = !torch.vtensor<[2,1],f32>
// CHECK-LABEL: @another_tensor
// CHECK-NOT: fused
func.func @another_tensor(%x: !t, %y: !t) -> !t {
  %one = torch.constant.int 1
  %two = torch.constant.int 2
  %last = torch.constant.int -1
  %dims = torch.prim.ListConstruct %last : (!torch.int) -> !torch.list<int>
  %true = torch.constant.bool true
  %none = torch.constant.none
  %eps = torch.constant.float 1.0e-06
  %0 = torch.aten.mul.Tensor %y, %y : !t, !t -> !t
  %1 = torch.aten.mean.dim %0, %dims, %true, %none : !t, !torch.list<int>, !torch.bool, !torch.none -> !r
  %2 = torch.aten.add.Scalar %1, %eps, %one : !r, !torch.float, !torch.int -> !r
  %3 = torch.aten.rsqrt %2 : !r -> !r
  %4 = torch.aten.mul.Tensor %x, %3 : !t, !r -> !t
  return %4 : !t
}

// CHECK-LABEL: @a_cube
// CHECK-NOT: fused
func.func @a_cube(%x: !t) -> !t {
  %one = torch.constant.int 1
  %two = torch.constant.int 3
  %last = torch.constant.int -1
  %dims = torch.prim.ListConstruct %last : (!torch.int) -> !torch.list<int>
  %true = torch.constant.bool true
  %none = torch.constant.none
  %eps = torch.constant.float 1.0e-06
  %0 = torch.aten.pow.Tensor_Scalar %x, %two : !t, !torch.int -> !t
  %1 = torch.aten.mean.dim %0, %dims, %true, %none : !t, !torch.list<int>, !torch.bool, !torch.none -> !r
  %2 = torch.aten.add.Scalar %1, %eps, %one : !r, !torch.float, !torch.int -> !r
  %3 = torch.aten.rsqrt %2 : !r -> !r
  %4 = torch.aten.mul.Tensor %x, %3 : !t, !r -> !t
  return %4 : !t
}
