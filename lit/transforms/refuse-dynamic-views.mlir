// RUN: myjit opt %s -p refuse-dynamic-views --level torch --split-input-file --verify-diagnostics
// RUN: %exits 4 myjit opt %s -p 'refuse-dynamic-views{fast=1}' 2>&1 | filecheck %s

// CHECK: error: pass 'refuse-dynamic-views' has no option 'fast'. It takes none.
!l = !torch.list<int>
func.func @joined(%a: !torch.vtensor<[?,?],f32>, %s: !l) -> !torch.vtensor<[?],f32> {
  // expected-error@+1 {{a view of several dynamic dimensions}}
  %0 = torch.aten.view %a, %s : !torch.vtensor<[?,?],f32>, !l -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}

// -----

!l = !torch.list<int>
func.func @split(%a: !torch.vtensor<[?],f32>, %s: !l) -> !torch.vtensor<[?,?],f32> {
  // expected-error@+1 {{a view of several dynamic dimensions}}
  %0 = torch.aten.reshape %a, %s : !torch.vtensor<[?],f32>, !l -> !torch.vtensor<[?,?],f32>
  return %0 : !torch.vtensor<[?,?],f32>
}

// -----

!l = !torch.list<int>
func.func @one(%a: !torch.vtensor<[?,2],f32>, %s: !l) -> !torch.vtensor<[?],f32> {
  %0 = torch.aten.view %a, %s : !torch.vtensor<[?,2],f32>, !l -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}
