// RUN: myjit opt %s -p 'func.func(convert-torch-to-tmtensor),lower-bitcasts' --level torch | filecheck %s

!i = !torch.vtensor<[2],si32>
!f = !torch.vtensor<[2],f32>
!b = !torch.vtensor<[8],si8>
// CHECK-LABEL: @same_width
// CHECK: arith.bitcast {{.*}} : tensor<2xi32> to tensor<2xf32>
// CHECK-NOT: view.dtype
func.func @same_width(%a: !i) -> !f {
  %dtype = torch.constant.int 6
  %0 = torch.aten.view.dtype %a, %dtype : !i, !torch.int -> !f
  return %0 : !f
}

// CHECK-LABEL: @another_width
// CHECK: torch.aten.view.dtype
func.func @another_width(%a: !f) -> !b {
  %dtype = torch.constant.int 1
  %0 = torch.aten.view.dtype %a, %dtype : !f, !torch.int -> !b
  return %0 : !b
}
