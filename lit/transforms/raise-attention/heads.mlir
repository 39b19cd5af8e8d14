// RUN: myjit opt %s -p raise-attention | filecheck %s

// Batch and heads were made one dimension for bmm.
// CHECK: %0 = "fused.attention"(%arg0, %arg1, %arg2) {{.*}} -> !torch.vtensor<[2,3,4,8],f32>
!h = !torch.vtensor<[2,3,4,8],f32>
!f = !torch.vtensor<[6,4,8],f32>
!ft = !torch.vtensor<[6,8,4],f32>
!s = !torch.vtensor<[6,4,4],f32>
!sh = !torch.vtensor<[2,3,4,4],f32>
!l = !torch.list<int>
func.func @f(%q: !h, %k: !h, %v: !h) -> !h {
  %0 = torch.constant.int 0
  %1 = torch.constant.int 1
  %2 = torch.constant.int 2
  %3 = torch.constant.int 3
  %4 = torch.constant.int 4
  %6 = torch.constant.int 6
  %8 = torch.constant.int 8
  %order = torch.prim.ListConstruct %0, %1, %3, %2 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !l
  %flat = torch.prim.ListConstruct %6, %4, %8 : (!torch.int, !torch.int, !torch.int) -> !l
  %turned = torch.prim.ListConstruct %6, %8, %4 : (!torch.int, !torch.int, !torch.int) -> !l
  %square = torch.prim.ListConstruct %6, %4, %4 : (!torch.int, !torch.int, !torch.int) -> !l
  %apart = torch.prim.ListConstruct %2, %3, %4, %4 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !l
  %out = torch.prim.ListConstruct %2, %3, %4, %8 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !l
  %qf = torch.aten.view %q, %flat : !h, !l -> !f
  %kt = torch.aten.permute %k, %order : !h, !l -> !torch.vtensor<[2,3,8,4],f32>
  %kf = torch.aten.view %kt, %turned : !torch.vtensor<[2,3,8,4],f32>, !l -> !ft
  %s = torch.aten.bmm %qf, %kf : !f, !ft -> !s
  %sh = torch.aten.view %s, %apart : !s, !l -> !sh
  %w = "fused.softmax"(%sh) {dim = 3 : i64} : (!sh) -> !sh
  %wf = torch.aten.view %w, %square : !sh, !l -> !s
  %vf = torch.aten.view %v, %flat : !h, !l -> !f
  %o = torch.aten.bmm %wf, %vf : !s, !f -> !f
  %r = torch.aten.view %o, %out : !f, !l -> !h
  return %r : !h
}
