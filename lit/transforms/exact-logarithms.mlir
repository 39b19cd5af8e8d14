// RUN: myjit opt %s -p exact-logarithms --level linalg | filecheck %s
// RUN: myjit opt %s -p 'exact-logarithms{near-one=true}' --level linalg | filecheck %s --check-prefix NEAR

// CHECK-LABEL: @single
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[X]]
// CHECK: %[[SHIFTED:.*]] = arith.mulf %[[X]]
// CHECK: %[[NORMAL:.*]] = arith.select %[[LESS]], %[[SHIFTED]], %[[X]]
// CHECK: %[[LOG:.*]] = math.log %[[NORMAL]] {myjit.is_exact} : f32
// CHECK: arith.subf %[[LOG]]
// CHECK-NOT: math.log
func.func @single(%x: f32) -> f32 {
  %0 = math.log %x : f32
  return %0 : f32
}

// CHECK-LABEL: @half
// CHECK: arith.extf {{.*}} : bf16 to f32
// CHECK: math.log2 {{.*}} : f32
// CHECK: arith.truncf {{.*}} : f32 to bf16
func.func @half(%x: bf16) -> bf16 {
  %0 = math.log2 %x : bf16
  return %0 : bf16
}

// CHECK-LABEL: @double
// CHECK-NEXT: math.log %{{.*}} : f64
// CHECK-NEXT: return
func.func @double(%x: f64) -> f64 {
  %0 = math.log %x : f64
  return %0 : f64
}

// CHECK-LABEL: @of_sum
// CHECK-NEXT: math.log1p
// NEAR-LABEL: @of_sum
// NEAR: math.fma
// NEAR: math.log {{.*}} : f32
// NEAR-NOT: math.log1p
func.func @of_sum(%x: f32) -> f32 {
  %0 = math.log1p %x : f32
  return %0 : f32
}
