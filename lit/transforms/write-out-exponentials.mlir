// RUN: myjit opt %s -p write-out-exponentials --level dispatch | filecheck %s
// RUN: myjit opt %s -p 'write-out-exponentials{apart=true}' --level dispatch | filecheck %s --check-prefix=APART

// One choice, whose second value is computed for nothing else.
// APART-LABEL: @exp
// APART: %[[INSIDE:.+]] = arith.bitcast {{.+}} : i32 to f32
// APART: %[[ROOT:.+]] = arith.bitcast {{.+}} : i32 to f32
// APART: %[[SQUARE:.+]] = arith.mulf %[[ROOT]], %[[ROOT]]
// APART: arith.select %{{.+}}, %[[INSIDE]], %[[SQUARE]]
// APART: %[[RESULT:.+]] = arith.select %{{.+}}, %[[INSIDE]], %
// APART-NEXT: return %[[RESULT]]

// CHECK-LABEL: @exp
// CHECK-NOT: math.exp
// CHECK: math.fma {{.*}} : f32
// CHECK: arith.shli {{.*}} : i32
// CHECK: arith.select
// CHECK: return
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// CHECK-LABEL: @erf
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK-NOT: math.erf
// CHECK: math.copysign
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func @erf(%x: f16) -> f16 {
  %0 = math.erf %x : f16
  return %0 : f16
}

// CHECK-LABEL: @double
// CHECK: math.exp {{.*}} : f64
func.func @double(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}
