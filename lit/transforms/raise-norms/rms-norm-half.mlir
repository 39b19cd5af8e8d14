// RUN: myjit opt %s -p raise-norms | filecheck %s

// The sums are in f32: so is the operation, between the casts.
// CHECK: %[[W:.*]] = torch.prims.convert_element_type %arg0
// CHECK: %[[N:.*]] = "fused.rms_norm"(%[[W]]) {{.*}} -> !torch.vtensor<[2,8],f32>
// CHECK: torch.prims.convert_element_type %[[N]]
!h = !torch.vtensor<[2,8],bf16>
!t = !torch.vtensor<[2,8],f32>
!r = !torch.vtensor<[2,1],f32>
func.func @f(%x: !h) -> !h {
  %one = torch.constant.int 1
  %two = torch.constant.int 2
  %last = torch.constant.int -1
  %dims = torch.prim.ListConstruct %last : (!torch.int) -> !torch.list<int>
  %true = torch.constant.bool true
  %none = torch.constant.none
  %eps = torch.constant.float 1.0e-06
  %f32 = torch.constant.int 6
  %bf16 = torch.constant.int 15
  %w = torch.prims.convert_element_type %x, %f32 : !h, !torch.int -> !t
  %0 = torch.aten.mul.Tensor %w, %w : !t, !t -> !t
  %1 = torch.aten.mean.dim %0, %dims, %true, %none : !t, !torch.list<int>, !torch.bool, !torch.none -> !r
  %2 = torch.aten.add.Scalar %1, %eps, %one : !r, !torch.float, !torch.int -> !r
  %3 = torch.aten.rsqrt %2 : !r -> !r
  %4 = torch.aten.mul.Tensor %x, %3 : !h, !r -> !t
  %5 = torch.prims.convert_element_type %4, %bf16 : !t, !torch.int -> !h
  return %5 : !h
}
