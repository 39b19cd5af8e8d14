// RUN: myjit opt %s --pipeline cpu --start torch-backend --stop torch-backend | filecheck %s
// RUN: %exits 2 myjit opt %s --pipeline cpu --start abi --stop torch-backend 2>&1 | filecheck %s --check-prefix=EMPTY
// RUN: %exits 2 myjit opt %s --pipeline cpu -p cse 2>&1 | filecheck %s --check-prefix=BOTH
// RUN: %exits 2 myjit opt %s --pipeline cpu --ensures dialects=func 2>&1 | filecheck %s --check-prefix=ENSURES

// CHECK: torch.aten.sin
// EMPTY: error: stage 'torch-backend' comes before 'abi': there is nothing to run
// BOTH: not allowed with argument
// ENSURES: error: --ensures goes with --passes
func.func @f(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {
  %0 = torch.aten.sin %a : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return %0 : !torch.vtensor<[2],f32>
}
