// RUN: myjit opt %s -p bind-parameters --level iree | filecheck %s

// CHECK: util.global private @parameter_1 = #flow.parameter.named<"model"::"layer.weight"> : tensor<2xf32>
// CHECK-LABEL: func.func @marked(%arg0: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NOT: myjit.parameters
// CHECK: %[[W:.*]] = util.global.load @parameter_1
// CHECK: arith.addf %arg0, %[[W]]
func.func @marked(%a: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> attributes {myjit.parameters = ["", "layer.weight"]} {
  %0 = arith.addf %a, %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @unmarked(%arg0: f32, %arg1: f32)
func.func @unmarked(%a: f32, %b: f32) -> f32 {
  return %b : f32
}
