// RUN: myjit opt --split-input-file --verify-diagnostics %s
// RUN: sed 's/must have/may have/' %s > %t
// RUN: not myjit opt --split-input-file --verify-diagnostics %t 2>&1 | filecheck %s --check-prefix=MISSING
// MISSING: error: the diagnostics are not the expected ones
// MISSING: missing: error at line
// MISSING: not expected: error at line

func.func @fine() { return }

// -----

// expected-error@+1 {{entry block must have 1 arguments}}
"func.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({ ^bb0: "func.return"() : () -> () }) : () -> ()
