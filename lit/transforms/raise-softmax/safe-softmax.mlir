// RUN: myjit opt %s -p raise-softmax | filecheck %s
// RUN: sed 's/%%4, %%7/%%4, %%5/' %s | myjit opt -p raise-softmax | filecheck %s --check-prefix=HALF

// CHECK: %0 = "fused.safe_softmax"(%arg0) {dim = 1 : i64}
// CHECK-NEXT: return %0
// With one guard of the two it is neither softmax.
// HALF-NOT: fused
!s = !torch.vtensor<[],f32>
!b = !torch.vtensor<[2,1],i1>
!t = !torch.vtensor<[2,8],f32>
!r = !torch.vtensor<[2,1],f32>
func.func @f(%x: !t) -> !t {
  %one = torch.constant.int 1
  %last = torch.constant.int -1
  %dims = torch.prim.ListConstruct %last : (!torch.int) -> !torch.list<int>
  %true = torch.constant.bool true
  %none = torch.constant.none
  %0 = torch.aten.amax %x, %dims, %true : !t, !torch.list<int>, !torch.bool -> !r
  %f32 = torch.constant.int 6
  %zero = torch.constant.float 0.0
  %unit = torch.constant.float 1.0
  %inf = torch.constant.float 0xFFF0000000000000
  %z = torch.aten.scalar_tensor %zero, %f32, %none, %none, %none : !torch.float, !torch.int, !torch.none, !torch.none, !torch.none -> !s
  %u = torch.aten.scalar_tensor %unit, %f32, %none, %none, %none : !torch.float, !torch.int, !torch.none, !torch.none, !torch.none -> !s
  %1 = torch.aten.eq.Scalar %0, %inf : !r, !torch.float -> !b
  %2 = torch.aten.where.self %1, %z, %0 : !b, !s, !r -> !r
  %3 = torch.aten.sub.Tensor %x, %2, %one : !t, !r, !torch.int -> !t
  %4 = torch.aten.exp %3 : !t -> !t
  %5 = torch.aten.sum.dim_IntList %4, %dims, %true, %none : !t, !torch.list<int>, !torch.bool, !torch.none -> !r
  %6 = torch.aten.eq.Scalar %5, %zero : !r, !torch.float -> !b
  %7 = torch.aten.where.self %6, %u, %5 : !b, !s, !r -> !r
  %8 = torch.aten.div.Tensor %4, %7 : !t, !r -> !t
  return %8 : !t
}
