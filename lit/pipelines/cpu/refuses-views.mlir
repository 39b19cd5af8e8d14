// RUN: myjit opt --pipeline cpu --split-input-file --verify-diagnostics %s

// A view of several dynamic sizes would be lowered to wrong values (llvm/torch-mlir#4743).
!a = !torch.vtensor<[?,?,8],f32>
!b = !torch.vtensor<[?,8],f32>
func.func @main(%a: !a, %n: !torch.int) -> !b {
  %8 = torch.constant.int 8
  %sizes = torch.prim.ListConstruct %n, %8 : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error@+1 {{a view of several dynamic dimensions}}
  %0 = torch.aten.view %a, %sizes : !a, !torch.list<int> -> !b
  return %0 : !b
}

// -----

!a = !torch.vtensor<[?,2,4],f32>
!b = !torch.vtensor<[?,8],f32>
func.func @main(%a: !a, %n: !torch.int) -> !b {
  %8 = torch.constant.int 8
  %sizes = torch.prim.ListConstruct %n, %8 : (!torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.view %a, %sizes : !a, !torch.list<int> -> !b
  return %0 : !b
}
