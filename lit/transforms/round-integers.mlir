// RUN: myjit opt %s -p round-integers --level dispatch | filecheck %s

// CHECK-LABEL: @signed
// CHECK: %[[WIDE:.*]] = arith.sitofp %{{.*}} : i64 to f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[WIDE]] : f32 to i32
// CHECK: %[[UPPER:.*]] = arith.trunci %{{.*}} : i32 to i16
// CHECK: arith.bitcast %[[UPPER]] : i16 to bf16
func.func @signed(%x: i64) -> bf16 {
  %0 = arith.sitofp %x : i64 to bf16
  return %0 : bf16
}

// CHECK-LABEL: @truth
// CHECK: %[[WIDE:.*]] = arith.uitofp %{{.*}} : i1 to f32
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
func.func @truth(%x: i1) -> bf16 {
  %0 = arith.uitofp %x : i1 to bf16
  return %0 : bf16
}

// Half precision has instructions.
// CHECK-LABEL: @half
// CHECK: arith.sitofp %{{.*}} : i64 to f16
func.func @half(%x: i64) -> f16 {
  %0 = arith.sitofp %x : i64 to f16
  return %0 : f16
}
