// RUN: myjit opt %s -p keep-order --level flow | filecheck %s
// RUN: myjit opt %s -p 'keep-order,keep-order{done=true}' --level flow | filecheck %s --check-prefix=DONE

// CHECK: module attributes {stream.partitioning = #stream.partitioning_config<favor-debug>}
// DONE: module {
util.func public @main() {
  util.return
}
