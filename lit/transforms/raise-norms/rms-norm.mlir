// RUN: myjit opt %s -p raise-norms | filecheck %s
// RUN: sed 's/int -1/int 0/' %s | myjit opt -p raise-norms | filecheck %s --check-prefix=FIRST

// CHECK: %[[N:.*]] = "fused.rms_norm"(%arg0) {epsilon = {{9.99.*|1.0.*}} : f64}
// CHECK-NEXT: torch.aten.mul.Tensor %arg1, %[[N]]
// FIRST-NOT: fused
!t = !torch.vtensor<[2,8],f32>
!r = !torch.vtensor<[2,1],f32>
func.func @f(%x: !t, %weight: !torch.vtensor<[8],f32>) -> !t {
  %one = torch.constant.int 1
  %two = torch.constant.int 2
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
  %5 = torch.aten.mul.Tensor %weight, %4 : !torch.vtensor<[8],f32>, !t -> !t
  return %5 : !t
}
