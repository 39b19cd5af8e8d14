// RUN: not myjit opt %s --load %S/Inputs/failing.py -p 'cse,raise{text="a b"}' --reproducer %t 2>&1 | filecheck %s --check-prefix=RAISE
// RUN: not myjit opt %s --load %S/Inputs/failing.py -p 'mark,break-ir' 2>&1 | filecheck %s --check-prefix=BREAK
// RUN: not myjit opt %s --load %S/Inputs/failing.py -p 'complain' 2>&1 | filecheck %s --check-prefix=COMPLAIN
// RUN: myjit opt %s --load %S/Inputs/failing.py -p 'complain' --verify-diagnostics
// RUN: myjit opt %s --load %S/Inputs/failing.py -p 'func.func(cse,mark,canonicalize)' | filecheck %s --check-prefix=MIXED
// RUN: myjit passes --load %S/Inputs/failing.py | filecheck %s --check-prefix=LISTED
// RUN: not myjit opt %s -p cse --ensures 'dialects=builtin,func' --reproducer %t 2>&1 | filecheck %s --check-prefix=CONTRACT

// RAISE: error: [passes] pass 'raise' of stage 'passes' failed: KeyError: 'a b' (ran before it: cse)
// RAISE: reproduce it with the command in the first line of
// BREAK: error: [passes] pass 'break-ir' of stage 'passes' failed: 'func.func' op entry block must have 0 arguments
// BREAK-SAME: ran before it: mark
// COMPLAIN: pass 'complain' of stage 'passes' failed: I do not like this function
// MIXED: func.func @f(%arg0: f32) -> f32 attributes {marked}
// LISTED: {{^}}  mark
// LISTED-NEXT: Mark every function.
// LISTED: raise{text="no reason"}
// CONTRACT: error: [passes] stage 'passes' left operations that may not remain: arith.addf is not lowered

// expected-error@+1 {{I do not like this function}}
func.func @f(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}
