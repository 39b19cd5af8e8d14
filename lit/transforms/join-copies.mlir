// RUN: myjit opt --level flow --passes join-copies --split-input-file %s | filecheck %s

// Two commands become one dispatch, of which a kernel of two parts comes first.
// CHECK: flow.executable private @copies_0
// CHECK: %[[A:.+]] = iree_tensor_ext.dispatch.tensor.load {{.*}} sizes = [2, 64]
// CHECK: %[[FIRST:.+]] = tensor.insert_slice %[[A]] into %{{.+}}[0, 0] [2, 64]
// CHECK: %[[B:.+]] = iree_tensor_ext.dispatch.tensor.load {{.*}} sizes = [3, 64]
// CHECK: tensor.insert_slice %[[B]] into %[[FIRST]][2, 0] [3, 64]
// CHECK: util.func public @joined(%[[X:.+]]: tensor<2x64xf32>, %[[Y:.+]]: tensor<3x64xf32>)
// CHECK-NOT: flow.tensor.update
// CHECK: flow.dispatch @copies_0::@copies_0(%[[X]], %[[Y]]) : {{.*}} -> tensor<5x64xf32>
module attributes {myjit.processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>} {
  util.func public @joined(%x: tensor<2x64xf32>, %y: tensor<3x64xf32>) -> tensor<5x64xf32> {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %empty = flow.tensor.empty : tensor<5x64xf32>
    %first = flow.tensor.update %x, %empty[%zero, %zero] : tensor<2x64xf32> -> %empty as tensor<5x64xf32>
    %both = flow.tensor.update %y, %first[%two, %zero] : tensor<3x64xf32> -> %first as tensor<5x64xf32>
    util.return %both : tensor<5x64xf32>
  }
}

// -----

// What another dispatch has put together is taken from where it comes from.
// CHECK-LABEL: util.func public @twice
// CHECK: flow.dispatch @copies_1::@copies_1(%{{.+}}) : (tensor<2x64xf32>) -> tensor<5x64xf32>
module attributes {myjit.processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>} {
  util.func public @twice(%x: tensor<2x64xf32>) -> tensor<5x64xf32> {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %four = arith.constant 4 : index
    %empty = flow.tensor.empty : tensor<4x64xf32>
    %first = flow.tensor.update %x, %empty[%zero, %zero] : tensor<2x64xf32> -> %empty as tensor<4x64xf32>
    %both = flow.tensor.update %x, %first[%two, %zero] : tensor<2x64xf32> -> %first as tensor<4x64xf32>
    %number = arith.constant 1.0 : f32
    %filled = flow.tensor.splat %number : tensor<5x64xf32>
    %all = flow.tensor.update %both, %filled[%zero, %zero] : tensor<4x64xf32> -> %filled as tensor<5x64xf32>
    util.return %all : tensor<5x64xf32>
  }
}

// -----

// What is written over another part comes after it: commands keep their order.
// CHECK-LABEL: util.func public @over
// CHECK-COUNT-2: flow.tensor.update
module attributes {myjit.processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>} {
  util.func public @over(%x: tensor<2x64xf32>, %y: tensor<3x64xf32>) -> tensor<5x64xf32> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %empty = flow.tensor.empty : tensor<5x64xf32>
    %first = flow.tensor.update %x, %empty[%zero, %zero] : tensor<2x64xf32> -> %empty as tensor<5x64xf32>
    %both = flow.tensor.update %y, %first[%one, %zero] : tensor<3x64xf32> -> %first as tensor<5x64xf32>
    util.return %both : tensor<5x64xf32>
  }
}

// -----

// No vectors are known of: IREE's own commands stay.
// CHECK-LABEL: util.func public @elsewhere
// CHECK: flow.tensor.update
util.func public @elsewhere(%x: tensor<2x64xf32>) -> tensor<5x64xf32> {
  %zero = arith.constant 0 : index
  %number = arith.constant 1.0 : f32
  %filled = flow.tensor.splat %number : tensor<5x64xf32>
  %all = flow.tensor.update %x, %filled[%zero, %zero] : tensor<2x64xf32> -> %filled as tensor<5x64xf32>
  util.return %all : tensor<5x64xf32>
}
