// RUN: myjit opt %s -p exact-trigonometry --level linalg | filecheck %s
// RUN: myjit opt %s -p 'exact-trigonometry{float64=true}' --level linalg | filecheck %s --check-prefix DOUBLE
// RUN: myjit opt %s -p 'exact-trigonometry{fused=true}' --level linalg | filecheck %s --check-prefix FUSED

// CHECK-LABEL: @single
// CHECK-NOT: math.sin
// CHECK: math.floor {{.*}} : f32
// CHECK: arith.shrui {{.*}} : i32
// CHECK-NOT: f64
// FUSED-LABEL: @single
// FUSED-NOT: math.floor
// FUSED: math.fma {{.*}} : f32
// FUSED: arith.bitcast {{.*}} : f32 to i32
func.func @single(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  return %0 : f32
}

// CHECK-LABEL: @half
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK-NOT: math.cos
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func @half(%x: f16) -> f16 {
  %0 = math.cos %x : f16
  return %0 : f16
}

// CHECK-LABEL: @double
// CHECK: math.tan {{.*}} : f64
// DOUBLE-LABEL: @double
// DOUBLE-NOT: math.tan
// DOUBLE: arith.shrui {{.*}} : i64
// DOUBLE: arith.divf {{.*}} : f64
func.func @double(%x: f64) -> f64 {
  %0 = math.tan %x : f64
  return %0 : f64
}

// One quotient for all three ranges.
// CHECK-LABEL: @arc
// CHECK-NOT: math.atan
// CHECK-COUNT-1: arith.divf {{.*}} : f32
// CHECK-NOT: arith.divf
// CHECK: math.copysign
func.func @arc(%x: f32) -> f32 {
  %0 = math.atan %x : f32
  return %0 : f32
}

// CHECK-LABEL: @arc_of_double
// CHECK: math.atan {{.*}} : f64
func.func @arc_of_double(%x: f64) -> f64 {
  %0 = math.atan %x : f64
  return %0 : f64
}
