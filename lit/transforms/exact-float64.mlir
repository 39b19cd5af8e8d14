// RUN: myjit opt %s -p exact-float64 --level linalg | filecheck %s

// CHECK-LABEL: @logarithm
// CHECK-SAME: (%[[X:.*]]: f64)
// CHECK: %[[SUM:.*]] = arith.addf %[[X]]
// CHECK: %[[ADDED:.*]] = arith.subf %[[SUM]]
// CHECK: math.log %[[SUM]] : f64
// CHECK: arith.divf %[[X]], %[[ADDED]]
// CHECK-NOT: math.log1p
func.func @logarithm(%x: f64) -> f64 {
  %0 = math.log1p %x : f64
  return %0 : f64
}

// CHECK-LABEL: @exponential
// CHECK: math.exp {{.*}} : f64
// CHECK-NOT: math.expm1
func.func @exponential(%x: f64) -> f64 {
  %0 = math.expm1 %x : f64
  return %0 : f64
}

// CHECK-LABEL: @single
// CHECK: math.expm1 {{.*}} : f32
func.func @single(%x: f32) -> f32 {
  %0 = math.expm1 %x : f32
  return %0 : f32
}
