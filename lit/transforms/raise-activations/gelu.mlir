// RUN: myjit opt %s -p raise-activations | filecheck %s

!t = !torch.vtensor<[2,8],f32>
// CHECK-LABEL: @whole
// CHECK: "fused.gelu"(%arg0) {approximate = "tanh"}
func.func @whole(%x: !t) -> !t {
  %form = torch.constant.str "tanh"
  %0 = torch.aten.gelu %x, %form : !t, !torch.str -> !t
  return %0 : !t
}

// CHECK-LABEL: @by_hand
// CHECK: %0 = "fused.gelu"(%arg0) {approximate = "none"}
// CHECK-NEXT: return %0
func.func @by_hand(%x: !t) -> !t {
  %one = torch.constant.int 1
  %half = torch.constant.float 5.0e-1
  %root = torch.constant.float 1.41421356
  %0 = torch.aten.div.Scalar %x, %root : !t, !torch.float -> !t
  %1 = torch.aten.erf %0 : !t -> !t
  %2 = torch.aten.add.Scalar %1, %one, %one : !t, !torch.int, !torch.int -> !t
  %3 = torch.aten.mul.Tensor %2, %x : !t, !t -> !t
  %4 = torch.aten.mul.Scalar %3, %half : !t, !torch.float -> !t
  return %4 : !t
}
