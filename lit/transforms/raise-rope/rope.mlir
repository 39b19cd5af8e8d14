// RUN: myjit opt %s -p raise-rope | filecheck %s
// RUN: sed 's/%%minus, %%first/%%first, %%minus/' %s | myjit opt -p raise-rope | filecheck %s --check-prefix=OTHER
// RUN: sed 's/int 4/int 5/' %s | myjit opt -p raise-rope | filecheck %s --check-prefix=OTHER

// CHECK: %0 = "fused.rope"(%arg0, %arg1, %arg2)
// CHECK-NEXT: return %0
// OTHER-NOT: fused
!t = !torch.vtensor<[2,3,8],f32>
!h = !torch.vtensor<[2,3,4],f32>
!c = !torch.vtensor<[3,8],f32>
func.func @f(%x: !t, %cos: !c, %sin: !c) -> !t {
  %zero = torch.constant.int 0
  %one = torch.constant.int 1
  %last = torch.constant.int 2
  %half = torch.constant.int 4
  %end = torch.constant.int 9223372036854775807
  %0 = torch.aten.mul.Tensor %x, %cos : !t, !c -> !t
  %first = torch.aten.slice.Tensor %x, %last, %zero, %half, %one : !t, !torch.int, !torch.int, !torch.int, !torch.int -> !h
  %second = torch.aten.slice.Tensor %x, %last, %half, %end, %one : !t, !torch.int, !torch.int, !torch.int, !torch.int -> !h
  %minus = torch.aten.neg %second : !h -> !h
  %both = torch.prim.ListConstruct %minus, %first : (!h, !h) -> !torch.list<vtensor>
  %turned = torch.aten.cat %both, %last : !torch.list<vtensor>, !torch.int -> !t
  %1 = torch.aten.mul.Tensor %turned, %sin : !t, !c -> !t
  %2 = torch.aten.add.Tensor %0, %1, %one : !t, !t, !torch.int -> !t
  return %2 : !t
}
