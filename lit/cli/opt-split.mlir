// RUN: myjit opt %s --split-input-file -p cse | filecheck %s
// RUN: %exits 5 myjit opt %s 2>&1 | filecheck %s --check-prefix=WHOLE

// The parts are modules of their own, and stay so.
// CHECK: func.func @f(%arg0: f32)
// CHECK: // -----
// CHECK: func.func @f(%arg0: f64)
// WHOLE: redefinition of symbol named 'f'
func.func @f(%a: f32) { return }

// -----

func.func @f(%a: f64) { return }
