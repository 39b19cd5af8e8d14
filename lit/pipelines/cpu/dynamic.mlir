// RUN: myjit opt --pipeline cpu --stop linalg %s | filecheck %s

// CHECK: func.func @main(%arg0: tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK: tensor.dim %arg0
// CHECK: tensor.empty({{.*}}) : tensor<?x4xf32>
!t = !torch.vtensor<[?,4],f32>
func.func @main(%a: !t) -> !t {
  %0 = torch.aten.exp %a : !t -> !t
  return %0 : !t
}
