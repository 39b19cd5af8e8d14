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

// -----

// What a command takes out of a tensor is taken from it.
// CHECK: flow.executable private @copies_0
// CHECK: dispatch.tensor.load %{{.+}}, offsets = [1, 0], sizes = [2, 64], strides = [1, 1]
// CHECK-LABEL: util.func public @sliced
// CHECK-SAME: (%[[X:.+]]: tensor<3x64xf32>)
// CHECK: flow.dispatch @copies_0::@copies_0(%[[X]]) : (tensor<3x64xf32>) -> tensor<5x64xf32>
module attributes {myjit.processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>} {
  util.func public @sliced(%x: tensor<3x64xf32>) -> tensor<5x64xf32> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %long = arith.constant 64 : index
    %last = flow.tensor.slice %x[%one, %zero for %two, %long] : tensor<3x64xf32> -> tensor<2x64xf32>
    %empty = flow.tensor.empty : tensor<5x64xf32>
    %first = flow.tensor.update %last, %empty[%zero, %zero] : tensor<2x64xf32> -> %empty as tensor<5x64xf32>
    %both = flow.tensor.update %x, %first[%two, %zero] : tensor<3x64xf32> -> %first as tensor<5x64xf32>
    util.return %both : tensor<5x64xf32>
  }
}

// -----

// What computes a part, and what is computed of the whole, is done where the parts are put together; what a
// part is computed of in steps is read where it lies.
// CHECK: flow.executable private @copies_3
// CHECK: %[[X:.+]] = iree_tensor_ext.dispatch.tensor.load %{{.+}}, offsets = [0, 1], sizes = [2, 64], strides = [1, 2]
// CHECK: %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<2x64xf32>)
// CHECK: arith.addf
// CHECK: %[[FIRST:.+]] = tensor.insert_slice %[[SUM]] into %{{.+}}[0, 0] [2, 64]
// CHECK: %[[BOTH:.+]] = tensor.insert_slice %{{.+}} into %[[FIRST]][2, 0] [3, 64]
// CHECK: linalg.generic {{.*}} ins(%[[BOTH]] : tensor<5x64xf32>)
// CHECK: arith.negf
// CHECK-LABEL: util.func public @computed
// CHECK-SAME: (%[[X:.+]]: tensor<2x128xf32>, %[[Y:.+]]: tensor<3x64xf32>)
// CHECK-NOT: @plus::@plus
// CHECK: %[[ALL:.+]] = flow.dispatch @copies_3::@copies_3(%[[Y]], %[[X]]) : {{.*}} -> tensor<5x64xf32>
// CHECK-NEXT: %[[SEEN:.+]] = flow.tensor.reshape %[[ALL]] : tensor<5x64xf32> -> tensor<320xf32>
// CHECK-NEXT: util.return %[[SEEN]]
#row = affine_map<(a) -> (a)>
module attributes {myjit.processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>} {
  flow.executable private @steps {
    flow.executable.export public @steps workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @steps(%from: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x128xf32>>, %to: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x64xf32>>) {
        %x = iree_tensor_ext.dispatch.tensor.load %from, offsets = [0, 1], sizes = [2, 64], strides = [1, 2] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x128xf32>> -> tensor<2x64xf32>
        iree_tensor_ext.dispatch.tensor.store %x, %to, offsets = [0, 0], sizes = [2, 64], strides = [1, 1] : tensor<2x64xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x64xf32>>
        return
      }
    }
  }
  flow.executable private @plus {
    flow.executable.export public @plus workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @plus(%from: !iree_tensor_ext.dispatch.tensor<readonly:tensor<128xf32>>, %to: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<128xf32>>) {
        %one = arith.constant 1.0 : f32
        %x = iree_tensor_ext.dispatch.tensor.load %from, offsets = [0], sizes = [128], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<128xf32>> -> tensor<128xf32>
        %empty = tensor.empty() : tensor<128xf32>
        %made = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%x : tensor<128xf32>) outs(%empty : tensor<128xf32>) {
        ^bb0(%in: f32, %out: f32):
          %sum = arith.addf %in, %one : f32
          linalg.yield %sum : f32
        } -> tensor<128xf32>
        iree_tensor_ext.dispatch.tensor.store %made, %to, offsets = [0], sizes = [128], strides = [1] : tensor<128xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<128xf32>>
        return
      }
    }
  }
  flow.executable private @minus {
    flow.executable.export public @minus workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @minus(%from: !iree_tensor_ext.dispatch.tensor<readonly:tensor<320xf32>>, %to: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<320xf32>>) {
        %x = iree_tensor_ext.dispatch.tensor.load %from, offsets = [0], sizes = [320], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<320xf32>> -> tensor<320xf32>
        %empty = tensor.empty() : tensor<320xf32>
        %made = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%x : tensor<320xf32>) outs(%empty : tensor<320xf32>) {
        ^bb0(%in: f32, %out: f32):
          %negative = arith.negf %in : f32
          linalg.yield %negative : f32
        } -> tensor<320xf32>
        iree_tensor_ext.dispatch.tensor.store %made, %to, offsets = [0], sizes = [320], strides = [1] : tensor<320xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<320xf32>>
        return
      }
    }
  }
  util.func public @computed(%x: tensor<2x128xf32>, %y: tensor<3x64xf32>) -> tensor<320xf32> {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %other = flow.dispatch @steps::@steps(%x) : (tensor<2x128xf32>) -> tensor<2x64xf32>
    %flat = flow.tensor.reshape %other : tensor<2x64xf32> -> tensor<128xf32>
    %sum = flow.dispatch @plus::@plus(%flat) : (tensor<128xf32>) -> tensor<128xf32>
    %part = flow.tensor.reshape %sum : tensor<128xf32> -> tensor<2x64xf32>
    %empty = flow.tensor.empty : tensor<5x64xf32>
    %first = flow.tensor.update %part, %empty[%zero, %zero] : tensor<2x64xf32> -> %empty as tensor<5x64xf32>
    %both = flow.tensor.update %y, %first[%two, %zero] : tensor<3x64xf32> -> %first as tensor<5x64xf32>
    %all = flow.tensor.reshape %both : tensor<5x64xf32> -> tensor<320xf32>
    %made = flow.dispatch @minus::@minus(%all) : (tensor<320xf32>) -> tensor<320xf32>
    util.return %made : tensor<320xf32>
  }
}
