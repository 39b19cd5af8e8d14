// RUN: myjit opt %s -p scan-alone --level dispatch | filecheck %s

#scans = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<Distribute> workgroup_size = [64, 1, 1] subgroup_size = 32>

// One thread adds up; other kernels stay as they are.
// CHECK-DAG: #[[ALONE:.+]] = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<Distribute> workgroup_size = [1, 1, 1] subgroup_size = 32>
// CHECK-DAG: #[[SHARED:.+]] = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<Distribute> workgroup_size = [64, 1, 1] subgroup_size = 32>
// CHECK: func.func @scan{{.*}}translation_info = #[[ALONE]]
func.func @scan(%x: tensor<7x3xf32>, %sums: tensor<7x3xf32>, %last: tensor<3xf32>) -> tensor<7x3xf32> attributes {translation_info = #scans} {
  %0:2 = iree_linalg_ext.scan dimension(0) inclusive(true) ins(%x : tensor<7x3xf32>) outs(%sums, %last : tensor<7x3xf32>, tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    iree_linalg_ext.yield %t : f32
  } -> tensor<7x3xf32>, tensor<3xf32>
  return %0#0 : tensor<7x3xf32>
}

// CHECK: func.func @other{{.*}}translation_info = #[[SHARED]]
func.func @other(%x: tensor<7x3xf32>) -> tensor<7x3xf32> attributes {translation_info = #scans} {
  return %x : tensor<7x3xf32>
}
