// RUN: myjit opt %s -p refuse-unaligned --level dispatch --split-input-file --verify-diagnostics

#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
#device = #hal.executable.target<"vulkan-spirv", "vulkan-spirv-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "", features = "spirv:v1.6,cap:Shader", wgp = <compute = fp32, storage = b32, subgroup = none, subgroup_size_choices = [64], max_workgroup_sizes = [128, 128, 64], max_thread_count_per_workgroup = 128, max_workgroup_memory_bytes = 16384, max_workgroup_counts = [65535, 65535, 65535]>>}>
#vectors = #iree_codegen.translation_info<pipeline = #iree_gpu.spirv_pipeline<BaseVectorize> workgroup_size = [4, 1, 1]>
#elements = #iree_codegen.translation_info<pipeline = #iree_gpu.spirv_pipeline<BaseDistribute> workgroup_size = [4, 1, 1]>

hal.executable private @kernels {
  hal.executable.variant public @vulkan target(#device) {
    builtin.module {
      func.func @by_vectors() attributes {translation_info = #vectors} {
        %c0 = arith.constant 0 : index
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%c0) : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<8x16xf32>>
        %1 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 4], sizes = [8, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<8x16xf32>> -> tensor<8x8xf32>
        // expected-error@+1 {{IREE would begin this slice where a vector begins}}
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 1], sizes = [8, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<8x16xf32>> -> tensor<8x8xf32>
        // expected-error@+1 {{IREE would begin this slice where a vector begins}}
        iree_tensor_ext.dispatch.tensor.store %1, %0, offsets = [0, 2], sizes = [8, 8], strides = [1, 1] : tensor<8x8xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<8x16xf32>>
        return
      }
      func.func @by_elements() attributes {translation_info = #elements} {
        %c0 = arith.constant 0 : index
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%c0) : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<8x16xf32>>
        %1 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 1], sizes = [8, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<8x16xf32>> -> tensor<8x8xf32>
        return
      }
    }
  }
}
