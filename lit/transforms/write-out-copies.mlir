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

// What is only computed, of rows, is left to IREE.
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

// -----

// Of every other number it is computed by vectors: two are loaded, the last of which ends with the last number.
// CHECK: @steps
// CHECK: %[[A:.+]] = vector.load {{.*}} : memref<320xf32>, vector<8xf32>
// CHECK: %[[B:.+]] = vector.load {{.*}} : memref<320xf32>, vector<8xf32>
// CHECK: %[[X:.+]] = vector.shuffle %[[A]], %[[B]] [0, 2, 4, 6, 9, 11, 13, 15]
// CHECK: %[[TWO:.+]] = vector.broadcast %{{.+}} : f32 to vector<8xf32>
// CHECK: %[[TWICE:.+]] = arith.mulf %[[X]], %[[TWO]] : vector<8xf32>
// CHECK: vector.store %[[TWICE]], {{.*}} : memref<160xf32>, vector<8xf32>
#map = affine_map<(a, b) -> (a, b)>
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#default = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<Default>>
hal.executable private @steps {
  hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>) {
    hal.executable.export public @steps ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @steps() attributes {translation_info = #default} {
        %zero = arith.constant 0 : index
        %two = arith.constant 2.0 : f32
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<10x32xf32>
        %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<10x16xf32>
        %x = iree_codegen.load_from_buffer %0 : memref<10x32xf32> -> tensor<10x32xf32>
        %other = tensor.extract_slice %x[0, 0] [10, 16] [1, 2] : tensor<10x32xf32> to tensor<10x16xf32>
        %empty = tensor.empty() : tensor<10x16xf32>
        %made = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
            ins(%other : tensor<10x16xf32>) outs(%empty : tensor<10x16xf32>) {
        ^bb0(%in: f32, %out: f32):
          %twice = arith.mulf %in, %two : f32
          linalg.yield %twice : f32
        } -> tensor<10x16xf32>
        iree_codegen.store_to_buffer %made, %1 : tensor<10x16xf32> into memref<10x16xf32>
        return
      }
    }
  }
}

// -----

// What is computed of a tensor that is put together is computed of its parts; the other operand goes along.
// CHECK: @both
// CHECK: %[[X:.+]] = vector.load {{.*}} : memref<80xf32>, vector<8xf32>
// CHECK: %[[SIDE:.+]] = memref.load {{.*}} : memref<10xf32>
// CHECK: %[[EACH:.+]] = vector.broadcast %[[SIDE]] : f32 to vector<8xf32>
// CHECK: %[[SUM:.+]] = arith.addf %[[X]], %[[EACH]] : vector<8xf32>
// CHECK: vector.store %[[SUM]], {{.*}} : memref<160xf32>, vector<8xf32>
// CHECK: %[[NUMBER:.+]] = arith.constant dense<1.000000e+00> : vector<8xf32>
// CHECK: arith.addf %[[NUMBER]], %{{.+}} : vector<8xf32>
#map = affine_map<(a, b) -> (a, b)>
#rows = affine_map<(a, b) -> (a)>
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#default = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<Default>>
hal.executable private @both {
  hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>) {
    hal.executable.export public @both ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @both() attributes {translation_info = #default} {
        %zero = arith.constant 0 : index
        %one = arith.constant 1.0 : f32
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<10x8xf32>
        %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<10xf32>
        %2 = hal.interface.binding.subspan layout(#layout) binding(2) offset(%zero) : memref<10x16xf32>
        %x = iree_codegen.load_from_buffer %0 : memref<10x8xf32> -> tensor<10x8xf32>
        %side = iree_codegen.load_from_buffer %1 : memref<10xf32> -> tensor<10xf32>
        %empty = tensor.empty() : tensor<10x16xf32>
        %filled = linalg.fill ins(%one : f32) outs(%empty : tensor<10x16xf32>) -> tensor<10x16xf32>
        %joined = tensor.insert_slice %x into %filled[0, 0] [10, 8] [1, 1] : tensor<10x8xf32> into tensor<10x16xf32>
        %made = linalg.generic {indexing_maps = [#map, #rows, #map], iterator_types = ["parallel", "parallel"]}
            ins(%joined, %side : tensor<10x16xf32>, tensor<10xf32>) outs(%empty : tensor<10x16xf32>) {
        ^bb0(%in: f32, %each: f32, %out: f32):
          %sum = arith.addf %in, %each : f32
          linalg.yield %sum : f32
        } -> tensor<10x16xf32>
        iree_codegen.store_to_buffer %made, %2 : tensor<10x16xf32> into memref<10x16xf32>
        return
      }
    }
  }
}

// -----

// Rows that become columns go through registers: a square of vectors is loaded, turned and stored.
// CHECK: @turned
// CHECK-COUNT-8: vector.load {{.*}} : memref<512xf32>, vector<8xf32>
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.store {{.*}} : memref<512xf32>, vector<8xf32>
#map = affine_map<(a, b) -> (a, b)>
#across = affine_map<(a, b) -> (b, a)>
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#default = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<Default>>
hal.executable private @turned {
  hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>) {
    hal.executable.export public @turned ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @turned() attributes {translation_info = #default} {
        %zero = arith.constant 0 : index
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<16x32xf32>
        %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<32x16xf32>
        %x = iree_codegen.load_from_buffer %0 : memref<16x32xf32> -> tensor<16x32xf32>
        %empty = tensor.empty() : tensor<32x16xf32>
        %made = linalg.generic {indexing_maps = [#across, #map], iterator_types = ["parallel", "parallel"]}
            ins(%x : tensor<16x32xf32>) outs(%empty : tensor<32x16xf32>) {
        ^bb0(%in: f32, %out: f32):
          linalg.yield %in : f32
        } -> tensor<32x16xf32>
        iree_codegen.store_to_buffer %made, %1 : tensor<32x16xf32> into memref<32x16xf32>
        return
      }
    }
  }
}

// -----

// What fills every other place, and what fills those between, is written together.
// CHECK: @in_turn
// CHECK: %[[A:.+]] = vector.load {{.*}} : memref<160xf32>, vector<8xf32>
// CHECK: %[[B:.+]] = vector.load {{.*}} : memref<160xf32>, vector<8xf32>
// CHECK: %[[AB:.+]] = vector.shuffle %[[A]], %[[B]] [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]
// CHECK: vector.store %[[AB]], {{.*}} : memref<320xf32>, vector<16xf32>
// CHECK-NOT: maskedstore
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#default = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<Default>>
hal.executable private @in_turn {
  hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>) {
    hal.executable.export public @in_turn ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @in_turn() attributes {translation_info = #default} {
        %zero = arith.constant 0 : index
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<10x16xf32>
        %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<10x16xf32>
        %2 = hal.interface.binding.subspan layout(#layout) binding(2) offset(%zero) : memref<10x16x2xf32>
        %x = iree_codegen.load_from_buffer %0 : memref<10x16xf32> -> tensor<10x16xf32>
        %y = iree_codegen.load_from_buffer %1 : memref<10x16xf32> -> tensor<10x16xf32>
        %empty = tensor.empty() : tensor<10x16x2xf32>
        %half = tensor.insert_slice %x into %empty[0, 0, 0] [10, 16, 1] [1, 1, 1] : tensor<10x16xf32> into tensor<10x16x2xf32>
        %made = tensor.insert_slice %y into %half[0, 0, 1] [10, 16, 1] [1, 1, 1] : tensor<10x16xf32> into tensor<10x16x2xf32>
        iree_codegen.store_to_buffer %made, %2 : tensor<10x16x2xf32> into memref<10x16x2xf32>
        return
      }
    }
  }
}

// -----

// A row of 24 numbers, the last one first: in the loop's index what counts rows, and what counts columns.
// CHECK: @turned_over
// CHECK-NOT: linalg
// CHECK: %[[ROW:.+]] = vector.load {{.*}} : memref<480xf32>, vector<8xf32>
// CHECK: vector.shuffle %[[ROW]], %[[ROW]] [7, 6, 5, 4, 3, 2, 1, 0]
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#map = affine_map<(a) -> (a)>
#tiling = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
hal.executable private @turned_over {
  hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>) {
    hal.executable.export public @turned_over ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @turned_over() attributes {translation_info = #tiling} {
        %zero = arith.constant 0 : index
        %last = arith.constant 23 : index
        %row = arith.constant 24 : index
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<20x24xf32>
        %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<480xf32>
        %x = iree_codegen.load_from_buffer %0 : memref<20x24xf32> -> tensor<20x24xf32>
        %empty = tensor.empty() : tensor<480xf32>
        %made = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%empty : tensor<480xf32>) {
        ^bb0(%out: f32):
          %i = linalg.index 0 : index
          %column = arith.remsi %i, %row : index
          %at = arith.divsi %i, %row : index
          %back = arith.subi %last, %column : index
          %element = tensor.extract %x[%at, %back] : tensor<20x24xf32>
          linalg.yield %element : f32
        } -> tensor<480xf32>
        iree_codegen.store_to_buffer %made, %1 : tensor<480xf32> into memref<480xf32>
        return
      }
    }
  }
}

// -----

// What lies across the rows that something is computed of goes through registers too.
// CHECK: @computed_across
// CHECK-COUNT-8: vector.load {{.*}} : memref<512xf32>, vector<8xf32>
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.load {{.*}} : memref<512xf32>, vector<8xf32>
// CHECK: arith.addf %{{.+}}, %{{.+}} : vector<8xf32>
// CHECK: vector.store {{.*}} : memref<512xf32>, vector<8xf32>
#map = affine_map<(a, b) -> (a, b)>
#across = affine_map<(a, b) -> (b, a)>
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#tiling = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
hal.executable private @computed_across {
  hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>) {
    hal.executable.export public @computed_across ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @computed_across() attributes {translation_info = #tiling} {
        %zero = arith.constant 0 : index
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<16x32xf32>
        %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<32x16xf32>
        %2 = hal.interface.binding.subspan layout(#layout) binding(2) offset(%zero) : memref<32x16xf32>
        %x = iree_codegen.load_from_buffer %0 : memref<16x32xf32> -> tensor<16x32xf32>
        %y = iree_codegen.load_from_buffer %1 : memref<32x16xf32> -> tensor<32x16xf32>
        %empty = tensor.empty() : tensor<32x16xf32>
        %made = linalg.generic {indexing_maps = [#across, #map, #map], iterator_types = ["parallel", "parallel"]}
            ins(%x, %y : tensor<16x32xf32>, tensor<32x16xf32>) outs(%empty : tensor<32x16xf32>) {
        ^bb0(%in: f32, %each: f32, %out: f32):
          %sum = arith.addf %in, %each : f32
          linalg.yield %sum : f32
        } -> tensor<32x16xf32>
        iree_codegen.store_to_buffer %made, %2 : tensor<32x16xf32> into memref<32x16xf32>
        return
      }
    }
  }
}
