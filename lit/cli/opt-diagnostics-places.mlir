// RUN: myjit opt %s --load %S/Inputs/failing.py -p complain --verify-diagnostics
// RUN: sed 's/below {{I do not/below {{I did not/' %s > %t && %exits 6 myjit opt %t --load %S/Inputs/failing.py -p complain --verify-diagnostics 2>&1 | filecheck %s

// CHECK: error: the diagnostics are not the expected ones
// CHECK: missing: error at line

// expected-error@below {{I do not like this function}}
func.func @a() { return }
func.func @b() { return } // expected-error {{not like}}
func.func @c() { return }
// expected-error@above {{I do}}
func.func @d() { return }
// expected-error@-1 {{function}}
func.func @e() { return } // expected-error-re {{like th[a-z]+ function$}}
