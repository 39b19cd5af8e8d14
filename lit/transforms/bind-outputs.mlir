// RUN: myjit opt --level iree --passes bind-outputs --split-input-file %s | filecheck %s

// CHECK-LABEL: func.func @two
// CHECK-SAME: %arg1: !hal.buffer {iree.abi.output = 0 : index}, %arg2: !hal.buffer {iree.abi.output = 1 : index})
// CHECK-NOT: myjit.outputs
func.func @two(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {myjit.outputs = [0, 1]} {
  return %a, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @none
// CHECK-SAME: (%arg0: tensor<4xf32>) -> tensor<4xf32> {
func.func @none(%a: tensor<4xf32>) -> tensor<4xf32> attributes {myjit.outputs = []} {
  return %a : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @unmarked(%arg0: f32) -> f32 {
func.func @unmarked(%a: f32) -> f32 {
  return %a : f32
}
