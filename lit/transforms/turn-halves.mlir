// RUN: myjit opt --level global --passes turn-halves --split-input-file %s | filecheck %s

#left = affine_map<(m, n, k) -> (k, m)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#znver5 = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16"}>

// CHECK: #[[AS_IT_LIES:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: @gradient
// CHECK-SAME: %[[X:.+]]: tensor<256x96xbf16>, %[[Y:.+]]: tensor<256x64xbf16>
// CHECK: %[[AS_IT_IS:.+]] = iree_tensor_ext.compute_barrier.start %[[X]]
// CHECK: %[[TURNED:.+]] = linalg.generic {indexing_maps = [#[[AS_IT_LIES]], {{.+}} ins(%[[AS_IT_IS]] : tensor<256x96xbf16>) outs(%{{.+}} : tensor<96x256xbf16>)
// CHECK: %[[APART:.+]] = iree_tensor_ext.compute_barrier.start %[[TURNED]]
// CHECK: linalg.matmul ins(%[[APART]], %[[Y]] :
module attributes {myjit.processor = #znver5} {
  util.func public @gradient(%x: tensor<256x96xbf16>, %y: tensor<256x64xbf16>, %start: tensor<96x64xf32>) -> tensor<96x64xf32> {
    %0 = linalg.matmul indexing_maps = [#left, #right, #result] ins(%x, %y : tensor<256x96xbf16>, tensor<256x64xbf16>) outs(%start : tensor<96x64xf32>) -> tensor<96x64xf32>
    util.return %0 : tensor<96x64xf32>
  }
}

// -----

#left = affine_map<(m, n, k) -> (k, m)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#znver5 = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16"}>

// Panels multiply float32 as it lies, and bfloat16 of an odd number of steps not at all.
// CHECK-LABEL: @single
// CHECK-NOT: linalg.generic
// CHECK-LABEL: @odd
// CHECK-NOT: linalg.generic
module attributes {myjit.processor = #znver5} {
  util.func public @single(%x: tensor<256x96xf32>, %y: tensor<256x64xf32>, %start: tensor<96x64xf32>) -> tensor<96x64xf32> {
    %0 = linalg.matmul indexing_maps = [#left, #right, #result] ins(%x, %y : tensor<256x96xf32>, tensor<256x64xf32>) outs(%start : tensor<96x64xf32>) -> tensor<96x64xf32>
    util.return %0 : tensor<96x64xf32>
  }
  util.func public @odd(%x: tensor<255x96xbf16>, %y: tensor<255x64xbf16>, %start: tensor<96x64xf32>) -> tensor<96x64xf32> {
    %0 = linalg.matmul indexing_maps = [#left, #right, #result] ins(%x, %y : tensor<255x96xbf16>, tensor<255x64xbf16>) outs(%start : tensor<96x64xf32>) -> tensor<96x64xf32>
    util.return %0 : tensor<96x64xf32>
  }
}

// -----

#left = affine_map<(m, n, k) -> (k, m)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#haswell = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>

// Others have no products of bfloat16.
// CHECK-LABEL: @other
// CHECK-NOT: linalg.generic
module attributes {myjit.processor = #haswell} {
  util.func public @other(%x: tensor<256x96xbf16>, %y: tensor<256x64xbf16>, %start: tensor<96x64xf32>) -> tensor<96x64xf32> {
    %0 = linalg.matmul indexing_maps = [#left, #right, #result] ins(%x, %y : tensor<256x96xbf16>, tensor<256x64xbf16>) outs(%start : tensor<96x64xf32>) -> tensor<96x64xf32>
    util.return %0 : tensor<96x64xf32>
  }
}

// -----

#left = affine_map<(m, n, k) -> (k, m)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#amx = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>

// AMX multiplies odd numbers of steps, and not too few.
// CHECK-LABEL: @matrices
// CHECK: linalg.generic
// CHECK: linalg.matmul
// CHECK-LABEL: @few
// CHECK-NOT: linalg.generic
module attributes {myjit.processor = #amx, myjit.libraries = ["amx"]} {
  util.func public @matrices(%x: tensor<255x96xbf16>, %y: tensor<255x64xbf16>, %start: tensor<96x64xf32>) -> tensor<96x64xf32> {
    %0 = linalg.matmul indexing_maps = [#left, #right, #result] ins(%x, %y : tensor<255x96xbf16>, tensor<255x64xbf16>) outs(%start : tensor<96x64xf32>) -> tensor<96x64xf32>
    util.return %0 : tensor<96x64xf32>
  }
  util.func public @few(%x: tensor<14x96xbf16>, %y: tensor<14x64xbf16>, %start: tensor<96x64xf32>) -> tensor<96x64xf32> {
    %0 = linalg.matmul indexing_maps = [#left, #right, #result] ins(%x, %y : tensor<14x96xbf16>, tensor<14x64xbf16>) outs(%start : tensor<96x64xf32>) -> tensor<96x64xf32>
    util.return %0 : tensor<96x64xf32>
  }
}
