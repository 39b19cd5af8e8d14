// RUN: myjit opt %s -p raise-softmax | filecheck %s

!t = !torch.vtensor<[2,8],f32>
!r = !torch.vtensor<[2,1],f32>
// The weights are wanted as well.
// CHECK-LABEL: @used_twice
// CHECK-NOT: fused
func.func @used_twice(%x: !t) -> (!t, !t) {
  %one = torch.constant.int 1
  %last = torch.constant.int -1
  %dims = torch.prim.ListConstruct %last : (!torch.int) -> !torch.list<int>
  %true = torch.constant.bool true
  %none = torch.constant.none
  %0 = torch.aten.amax %x, %dims, %true : !t, !torch.list<int>, !torch.bool -> !r
  %1 = torch.aten.sub.Tensor %x, %0, %one : !t, !r, !torch.int -> !t
  %2 = torch.aten.exp %1 : !t -> !t
  %3 = torch.aten.sum.dim_IntList %2, %dims, %true, %none : !t, !torch.list<int>, !torch.bool, !torch.none -> !r
  %4 = torch.aten.div.Tensor %2, %3 : !t, !r -> !t
  return %4, %2 : !t, !t
}

// A sum of exponentials overflows where a softmax does not.
// CHECK-LABEL: @no_maximum
// CHECK-NOT: fused
func.func @no_maximum(%x: !t) -> !t {
  %one = torch.constant.int 1
  %last = torch.constant.int -1
  %dims = torch.prim.ListConstruct %last : (!torch.int) -> !torch.list<int>
  %true = torch.constant.bool true
  %none = torch.constant.none
  %0 = torch.aten.amax %x, %dims, %true : !t, !torch.list<int>, !torch.bool -> !r
  %2 = torch.aten.exp %x : !t -> !t
  %3 = torch.aten.sum.dim_IntList %2, %dims, %true, %none : !t, !torch.list<int>, !torch.bool, !torch.none -> !r
  %4 = torch.aten.div.Tensor %2, %3 : !t, !r -> !t
  return %4 : !t
}

// CHECK-LABEL: @to_float
// CHECK-NOT: fused
func.func @to_float(%x: !torch.vtensor<[2,8],bf16>) -> !t {
  %last = torch.constant.int -1
  %true = torch.constant.bool true
  %0 = torch.aten._softmax %x, %last, %true : !torch.vtensor<[2,8],bf16>, !torch.int, !torch.bool -> !t
  return %0 : !t
}
