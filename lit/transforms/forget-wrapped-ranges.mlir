// RUN: myjit opt %s -p forget-wrapped-ranges --level dispatch | filecheck %s

// The second reaches one beyond the largest signed index.
// CHECK-LABEL: @sizes
// CHECK: util.assume.int
// CHECK-NEXT: <umin = 0, umax = 9223372036854775807>
// CHECK-NOT: umin = 2
// CHECK: <udiv = 2>
// CHECK: <umin = 4, umax = 8>
util.func public @sizes(%a: index, %b: index, %c: index, %d: index) -> (index, index, index, index) {
  %0:4 = util.assume.int
      %a<umin = 0, umax = 9223372036854775807>,
      %b<umin = 2, umax = 9223372036854775808>,
      %c<umin = 2, umax = 18446744073709551614, udiv = 2>,
      %d<umin = 4, umax = 8>
    : index, index, index, index
  util.return %0#0, %0#1, %0#2, %0#3 : index, index, index, index
}
