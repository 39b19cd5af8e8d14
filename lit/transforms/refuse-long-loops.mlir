// RUN: myjit opt %s -p refuse-long-loops --level dispatch --split-input-file --verify-diagnostics

#whole = affine_map<(a, b) -> (a, b)>
#rows = affine_map<(a, b) -> (a)>
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
#device = #hal.executable.target<"vulkan-spirv", "vulkan-spirv-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "", features = "spirv:v1.6,cap:Shader,loops:1000", wgp = <compute = fp32, storage = b32, subgroup = none, subgroup_size_choices = [64], max_workgroup_sizes = [128, 128, 64], max_thread_count_per_workgroup = 128, max_workgroup_memory_bytes = 16384, max_workgroup_counts = [65535, 65535, 65535]>>}>

// Two sums of 600 numbers are too much for one kernel; one is not, and what is unknown is checked elsewhere.
hal.executable private @kernels {
  hal.executable.variant public @vulkan target(#device) {
    builtin.module {
      func.func @two(%x: tensor<8x600xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
        // expected-error@+1 {{loops of 1198 steps end too soon on this device}}
        %0 = linalg.generic {indexing_maps = [#whole, #rows], iterator_types = ["parallel", "reduction"]}
            ins(%x : tensor<8x600xf32>) outs(%init : tensor<8xf32>) {
        ^bb0(%one: f32, %total: f32):
          %next = arith.addf %one, %total : f32
          linalg.yield %next : f32
        } -> tensor<8xf32>
        %1 = linalg.generic {indexing_maps = [#whole, #rows], iterator_types = ["parallel", "reduction"]}
            ins(%x : tensor<8x600xf32>) outs(%0 : tensor<8xf32>) {
        ^bb0(%one: f32, %total: f32):
          %next = arith.addf %one, %total : f32
          linalg.yield %next : f32
        } -> tensor<8xf32>
        return %1 : tensor<8xf32>
      }
      func.func @one(%x: tensor<4000x600xf32>, %y: tensor<8x?xf32>, %a: tensor<4000xf32>, %b: tensor<8xf32>)
          -> (tensor<4000xf32>, tensor<8xf32>) {
        %0 = linalg.generic {indexing_maps = [#whole, #rows], iterator_types = ["parallel", "reduction"]}
            ins(%x : tensor<4000x600xf32>) outs(%a : tensor<4000xf32>) {
        ^bb0(%one: f32, %total: f32):
          %next = arith.addf %one, %total : f32
          linalg.yield %next : f32
        } -> tensor<4000xf32>
        %1 = linalg.generic {indexing_maps = [#whole, #rows], iterator_types = ["parallel", "reduction"]}
            ins(%y : tensor<8x?xf32>) outs(%b : tensor<8xf32>) {
        ^bb0(%one: f32, %total: f32):
          %next = arith.addf %one, %total : f32
          linalg.yield %next : f32
        } -> tensor<8xf32>
        return %0, %1 : tensor<4000xf32>, tensor<8xf32>
      }
    }
  }
}
