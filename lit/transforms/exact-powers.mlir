// RUN: myjit opt %s -p 'exact-powers{fused=true}' --level linalg | filecheck %s
// RUN: myjit opt %s -p exact-powers --level linalg | filecheck %s --check-prefix PLAIN

// CHECK-LABEL: @single
// CHECK-NOT: math.powf
// CHECK: math.absf
// CHECK: arith.shrsi {{.*}} : i32
// CHECK: arith.divf
// CHECK: math.floor
// CHECK-NOT: math.exp
// PLAIN-LABEL: @single
// PLAIN: %[[SIZE:.*]] = math.absf
// PLAIN: %[[LOG:.*]] = math.log %[[SIZE]]
// PLAIN: %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %[[LOG]]
// PLAIN: math.exp %[[PRODUCT]]
// PLAIN: math.copysign
func.func @single(%x: f32, %y: f32) -> f32 {
  %0 = math.powf %x, %y : f32
  return %0 : f32
}

// Of two there is no logarithm to take, and no sign to look at.
// CHECK-LABEL: @of_two
// CHECK-NOT: arith.divf
// CHECK-NOT: math.floor
// CHECK: return
func.func @of_two(%y: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %0 = math.powf %two, %y : f32
  return %0 : f32
}

// CHECK-LABEL: @half
// CHECK-COUNT-2: arith.extf {{.*}} : f16 to f32
// CHECK-NOT: math.powf
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func @half(%x: f16, %y: f16) -> f16 {
  %0 = math.powf %x, %y : f16
  return %0 : f16
}

// CHECK-LABEL: @double
// CHECK: math.log {{.*}} : f64
// CHECK: math.exp {{.*}} : f64
// CHECK-NOT: math.powf
func.func @double(%x: f64, %y: f64) -> f64 {
  %0 = math.powf %x, %y : f64
  return %0 : f64
}

// CHECK-LABEL: @whole
// CHECK-NOT: math.powf
// CHECK-NOT: math.fpowi
// CHECK: math.copysign
func.func @whole(%x: f32) -> f32 {
  %many = arith.constant 33 : i64
  %0 = math.fpowi %x, %many : f32, i64
  return %0 : f32
}

// CHECK-LABEL: @cube
// CHECK: math.powf
func.func @cube(%x: f32) -> f32 {
  %three = arith.constant 3.0 : f32
  %0 = math.powf %x, %three : f32
  return %0 : f32
}
