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

// GELU's: no quotient, one polynomial, whatever the size.
// CHECK-LABEL: @gelu
// CHECK-NOT: arith.divf
// CHECK: arith.mulf %{{.+}}, %{{.+}}
// CHECK-NOT: math.erf
// CHECK: math.copysign
// CHECK-NOT: arith.select
// CHECK: return
func.func @gelu(%x: f32) -> f32 {
  %root = arith.constant 1.41421354 : f32
  %one = arith.constant 1.0 : f32
  %0 = arith.divf %x, %root : f32
  %1 = math.erf %0 : f32
  %2 = arith.addf %1, %one : f32
  return %2 : f32
}

// The error function is asked for as well.
// CHECK-LABEL: @both
// CHECK: math.copysign
// CHECK: %[[ERF:.+]] = arith.select
// CHECK: arith.addf
func.func @both(%x: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %0 = math.erf %x : f32
  %1 = arith.addf %0, %one : f32
  return %0, %1 : f32, f32
}
