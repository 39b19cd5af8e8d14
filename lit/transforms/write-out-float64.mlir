// RUN: myjit opt --level linalg -p write-out-float64 %s | filecheck %s

// CHECK-LABEL: @tangent
// CHECK: %[[SIZE:.+]] = math.absf %[[X:.+]] : f64
// CHECK: %[[TWICE:.+]] = arith.mulf %[[SIZE]]
// CHECK: math.expm1 %[[TWICE]]
// CHECK: math.copysign %{{.+}}, %[[X]]
// CHECK-NOT: math.tanh
func.func @tangent(%x: f64) -> f64 {
  %0 = math.tanh %x : f64
  return %0 : f64
}

// CHECK-LABEL: @angles
// CHECK-NOT: math.{{atan|asin|acos}}
// CHECK: return
func.func @angles(%x: f64) -> (f64, f64, f64) {
  %0 = math.atan %x : f64
  %1 = math.asin %x : f64
  %2 = math.acos %x : f64
  return %0, %1, %2 : f64, f64, f64
}

// CHECK-LABEL: @logarithms
// CHECK-NOT: math.{{log2|log10|erf}}
// CHECK: return
func.func @logarithms(%x: f64) -> (f64, f64, f64) {
  %0 = math.log2 %x : f64
  %1 = math.log10 %x : f64
  %2 = math.erf %x : f64
  return %0, %1, %2 : f64, f64, f64
}

// CHECK-LABEL: @of_another_type
// CHECK: math.tanh %{{.+}} : f32
func.func @of_another_type(%x: f32) -> f32 {
  %0 = math.tanh %x : f32
  return %0 : f32
}
