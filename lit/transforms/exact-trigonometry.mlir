// RUN: myjit opt %s -p exact-trigonometry --level linalg | filecheck %s
// RUN: myjit opt %s -p 'exact-trigonometry{wide=true}' --level linalg | filecheck %s --check-prefix WIDE
// RUN: myjit opt %s -p 'exact-trigonometry{fused=true}' --level linalg | filecheck %s --check-prefix FUSED

// CHECK-LABEL: @single
// CHECK-NOT: math.sin
// CHECK: math.floor {{.*}} : f32
// CHECK-NOT: f64
// WIDE-LABEL: @single
// WIDE: arith.extf {{.*}} : f32 to f64
// WIDE: math.fma {{.*}} : f64
// WIDE: arith.truncf {{.*}} : f64 to f32
// WIDE-NOT: math.sin
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
// WIDE-LABEL: @half
// WIDE: arith.extf {{.*}} : f32 to f64
// WIDE: arith.truncf {{.*}} : f32 to f16
func.func @half(%x: f16) -> f16 {
  %0 = math.cos %x : f16
  return %0 : f16
}

// CHECK-LABEL: @double
// CHECK: math.tan {{.*}} : f64
// WIDE-LABEL: @double
// WIDE-NOT: math.tan
// WIDE: arith.divf {{.*}} : f64
func.func @double(%x: f64) -> f64 {
  %0 = math.tan %x : f64
  return %0 : f64
}
