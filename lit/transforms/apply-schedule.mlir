// RUN: myjit opt %s -p 'apply-schedule{file=%S/Inputs/tile.mlir}' | filecheck %s
// RUN: not myjit opt %s -p 'apply-schedule{text="module {}"}' 2>&1 | filecheck %s --check-prefix=NOMAIN

// NOMAIN: error: {{.*}}a schedule needs a transform.named_sequence @__transform_main

// CHECK: scf.for
// CHECK: linalg.fill {{.*}} tensor<4xf32>
func.func @f(%a: tensor<16xf32>, %c: f32) -> tensor<16xf32> {
  %0 = linalg.fill ins(%c : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
