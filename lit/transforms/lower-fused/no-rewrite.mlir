// RUN: myjit opt %s -p lower-fused | filecheck %s
// RUN: not myjit opt %s -p 'lower-fused{fast=true}' 2>&1 | filecheck %s --check-prefix=OPTION

// OPTION: error: pass 'lower-fused' has no option 'fast'. It takes none.

!t = !torch.vtensor<[2,8],f32>
// CHECK: %0 = torch.aten.silu %arg0
// CHECK-NEXT: return %0
func.func @f(%a: !t) -> !t {
  %0 = torch.aten.silu %a : !t -> !t
  return %0 : !t
}
