// RUN: myjit opt --level dispatch --passes write-out-copies --split-input-file %s | filecheck %s

// 20 rows of 24 numbers go into 40, in three vectors each; four vectors of the same number stand behind them.
// CHECK: @padded
// CHECK: hal.return
// CHECK: func.func @padded() attributes {translation_info = {{.*}}
// CHECK-NOT: linalg
// CHECK-NOT: store_to_buffer
// CHECK: hal.interface.binding.subspan {{.*}} : memref<480xf32>
// CHECK-COUNT-3: vector.load {{.*}} : memref<480xf32>, vector<8xf32>
// CHECK: %[[NUMBER:.+]] = arith.constant dense<1.000000e+00> : vector<8xf32>
// CHECK-NOT: vector.load
// CHECK: vector.store %[[NUMBER]], {{.*}} : memref<800xf32>, vector<8xf32>
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#default = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<Default>>
hal.executable private @padded {
  hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>) {
    hal.executable.export public @padded ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @padded() attributes {translation_info = #default} {
        %zero = arith.constant 0 : index
        %one = arith.constant 1.0 : f32
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<20x24xf32>
        %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<20x40xf32>
        %x = iree_codegen.load_from_buffer %0 : memref<20x24xf32> -> tensor<20x24xf32>
        %empty = tensor.empty() : tensor<20x40xf32>
        %filled = linalg.fill ins(%one : f32) outs(%empty : tensor<20x40xf32>) -> tensor<20x40xf32>
        %made = tensor.insert_slice %x into %filled[0, 0] [20, 24] [1, 1] : tensor<20x24xf32> into tensor<20x40xf32>
        iree_codegen.store_to_buffer %made, %1 : tensor<20x40xf32> into memref<20x40xf32>
        return
      }
    }
  }
}

// -----

// What is computed is no copy.
// CHECK: @computed
// CHECK: workgroup_count_from_slice
// CHECK: linalg.generic
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#map = affine_map<(a, b) -> (a, b)>
#default = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<Default>>
hal.executable private @computed {
  hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>) {
    hal.executable.export public @computed ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @computed() attributes {translation_info = #default} {
        %zero = arith.constant 0 : index
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<20x24xf32>
        %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<20x24xf32>
        %x = iree_codegen.load_from_buffer %0 : memref<20x24xf32> -> tensor<20x24xf32>
        %empty = tensor.empty() : tensor<20x24xf32>
        %made = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
            ins(%x : tensor<20x24xf32>) outs(%empty : tensor<20x24xf32>) {
        ^bb0(%in: f32, %out: f32):
          %twice = arith.addf %in, %in : f32
          linalg.yield %twice : f32
        } -> tensor<20x24xf32>
        iree_codegen.store_to_buffer %made, %1 : tensor<20x24xf32> into memref<20x24xf32>
        return
      }
    }
  }
}
