// RUN: myjit opt --level dispatch --passes write-out-roundings %s | filecheck %s

// CHECK-LABEL: @rounded
// CHECK: %[[SIZE:.+]] = math.absf %arg0 : f32
// CHECK: %[[WHOLE:.+]] = arith.addf %[[SIZE]], %{{.+}} : f32
// CHECK: %[[ROUNDED:.+]] = arith.subf %[[WHOLE]], %{{.+}} : f32
// CHECK: math.copysign %[[ROUNDED]], %arg0
// CHECK: arith.select
// CHECK: arith.extf %{{.+}} : f16 to f32
// CHECK: math.absf %{{.+}} : f64
// CHECK-NOT: math.roundeven
func.func @rounded(%x: f32, %half: f16, %wide: f64) -> (f32, f16, f64) {
  %0 = math.roundeven %x : f32
  %1 = math.roundeven %half : f16
  %2 = math.roundeven %wide : f64
  return %0, %1, %2 : f32, f16, f64
}
