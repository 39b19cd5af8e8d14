// RUN: myjit opt --pipeline fused --start torch-to-linalg --stop torch-to-linalg --verify-diagnostics %s
// RUN: %exits 9 myjit opt --pipeline fused --start torch-to-linalg %s 2>&1 | filecheck %s

// CHECK: error: [torch-to-linalg] stage 'torch-to-linalg' left operations that may not remain: pdl_interp.func is not lowered
func.func @main(%a: f32) -> f32 {
  return %a : f32
}
// expected-error@below {{pdl_interp.func is not lowered}}
pdl_interp.func @matcher(%root: !pdl.operation) {
  // expected-error@below {{pdl_interp.finalize is not lowered}}
  pdl_interp.finalize
}
