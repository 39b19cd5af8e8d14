// RUN: myjit opt %s --pipeline cpu --time 2>&1 | filecheck %s

// Every pass in order, with its stage, and the sum.
// CHECK: ms % stage pass
// CHECK: torch-backend torch-match-quantized-custom-ops
// CHECK-NEXT: torch-backend inline
// CHECK: torch-to-linalg convert-torch-to-linalg
// CHECK: abi bind-outputs
// CHECK: convolutions convolutions-to-products
// CHECK-NEXT: products keep-transposed
// CHECK-NEXT: products separate-interleaved
// CHECK-NEXT: 100.0 total
func.func @f(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {
  %0 = torch.aten.sin %a : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return %0 : !torch.vtensor<[2],f32>
}
