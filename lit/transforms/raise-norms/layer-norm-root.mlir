// RUN: myjit opt %s -p raise-norms | filecheck %s

// CHECK: %0 = "fused.layer_norm"(%arg0)
// CHECK-NEXT: return %0
!t = !torch.vtensor<[2,8],f32>
!r = !torch.vtensor<[2,1],f32>
func.func @f(%x: !t) -> !t {
  %one = torch.constant.int 1
  %two = torch.constant.int 2
  %last = torch.constant.int -1
  %dims = torch.prim.ListConstruct %last : (!torch.int) -> !torch.list<int>
  %true = torch.constant.bool true
  %none = torch.constant.none
  %eps = torch.constant.float 1.0e-06
  %eight = torch.constant.int 8
  %0 = torch.aten.sum.dim_IntList %x, %dims, %true, %none : !t, !torch.list<int>, !torch.bool, !torch.none -> !r
  %1 = torch.aten.div.Scalar %0, %eight : !r, !torch.int -> !r
  %2 = torch.aten.sub.Tensor %x, %1, %one : !t, !r, !torch.int -> !t
  %3 = torch.aten.pow.Tensor_Scalar %2, %two : !t, !torch.int -> !t
  %4 = torch.aten.mean.dim %3, %dims, %true, %none : !t, !torch.list<int>, !torch.bool, !torch.none -> !r
  %5 = torch.aten.add.Scalar %4, %eps, %one : !r, !torch.float, !torch.int -> !r
  %6 = torch.aten.sqrt %5 : !r -> !r
  %7 = torch.aten.div.Tensor %2, %6 : !t, !r -> !t
  return %7 : !t
}
