// RUN: myjit opt %s -p raise-softmax | filecheck %s

!t = !torch.vtensor<[2,8],f32>
!r = !torch.vtensor<[2,1],f32>
// CHECK-LABEL: @whole
// CHECK: "fused.softmax"(%arg0) {dim = 1 : i64}
func.func @whole(%x: !t) -> !t {
  %last = torch.constant.int -1
  %false = torch.constant.bool false
  %0 = torch.aten._softmax %x, %last, %false : !t, !torch.int, !torch.bool -> !t
  return %0 : !t
}

// CHECK-LABEL: @by_hand
// CHECK: %0 = "fused.softmax"(%arg0) {dim = 1 : i64}
// CHECK-NEXT: return %0
func.func @by_hand(%x: !t) -> !t {
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
  return %4 : !t
}
