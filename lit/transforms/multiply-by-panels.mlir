// RUN: myjit opt --level dispatch --passes multiply-by-panels --split-input-file %s | filecheck %s

// 20 rows are two blocks of ten, in vectors of eight columns, two for each row; two panels are two workgroups.
// CHECK: @product
// CHECK: arith.constant 2 : index
// CHECK: hal.return
// CHECK: func.func @product() attributes {translation_info = {{.*}}
// CHECK-NOT: linalg
// CHECK: llvm.alloca
// CHECK: vector.load {{.*}} vector<8xf32>
// CHECK: vector.fma {{.*}} vector<8xf32>
// CHECK: vector.store
// CHECK-NOT: store_to_buffer
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#tiled = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
hal.executable private @product {
  hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>) {
    hal.executable.export public @product ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @product() attributes {translation_info = #tiled} {
        %zero = arith.constant 0 : index
        %none = arith.constant 0.0 : f32
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<20x24xf32>
        %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<24x32xf32>
        %2 = hal.interface.binding.subspan layout(#layout) binding(2) offset(%zero) : memref<20x32xf32>
        %a = iree_codegen.load_from_buffer %0 : memref<20x24xf32> -> tensor<20x24xf32>
        %b = iree_codegen.load_from_buffer %1 : memref<24x32xf32> -> tensor<24x32xf32>
        %empty = tensor.empty() : tensor<20x32xf32>
        %start = linalg.fill ins(%none : f32) outs(%empty : tensor<20x32xf32>) -> tensor<20x32xf32>
        %c = linalg.matmul ins(%a, %b : tensor<20x24xf32>, tensor<24x32xf32>) outs(%start : tensor<20x32xf32>) -> tensor<20x32xf32>
        iree_codegen.store_to_buffer %c, %2 : tensor<20x32xf32> into memref<20x32xf32>
        return
      }
    }
  }
}

// -----

// What is fused behind a product may read a side across its vectors, ask for indices, and look elements up.
// CHECK: @followed
// CHECK: func.func @followed
// CHECK-NOT: linalg
// CHECK: vector.fma
// CHECK-COUNT-8: vector.load {{.*}} vector<1xf32>
// CHECK: arith.addi {{.*}} vector<8xindex>
// CHECK: vector.extract
// CHECK: vector.load {{.*}} vector<1xf32>
// CHECK: vector.store
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#tiled = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
hal.executable private @followed {
  hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>) {
    hal.executable.export public @followed ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @followed() attributes {translation_info = #tiled} {
        %zero = arith.constant 0 : index
        %none = arith.constant 0.0 : f32
        %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<20x24xf32>
        %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<24x32xf32>
        %2 = hal.interface.binding.subspan layout(#layout) binding(2) offset(%zero) : memref<32x20xf32>
        %3 = hal.interface.binding.subspan layout(#layout) binding(3) offset(%zero) : memref<20x32xf32>
        %a = iree_codegen.load_from_buffer %0 : memref<20x24xf32> -> tensor<20x24xf32>
        %b = iree_codegen.load_from_buffer %1 : memref<24x32xf32> -> tensor<24x32xf32>
        %turned = iree_codegen.load_from_buffer %2 : memref<32x20xf32> -> tensor<32x20xf32>
        %empty = tensor.empty() : tensor<20x32xf32>
        %start = linalg.fill ins(%none : f32) outs(%empty : tensor<20x32xf32>) -> tensor<20x32xf32>
        %c = linalg.matmul ins(%a, %b : tensor<20x24xf32>, tensor<24x32xf32>) outs(%start : tensor<20x32xf32>) -> tensor<20x32xf32>
        %d = linalg.generic {
            indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
            iterator_types = ["parallel", "parallel"]}
            ins(%c, %turned : tensor<20x32xf32>, tensor<32x20xf32>) outs(%empty : tensor<20x32xf32>) {
        ^bb0(%sum: f32, %other: f32, %out: f32):
          %i = linalg.index 0 : index
          %j = linalg.index 1 : index
          %k = affine.apply affine_map<(i)[j] -> (i + j * 0)>(%i)[%j]
          %element = tensor.extract %b[%k, %j] : tensor<24x32xf32>
          %x = arith.addf %sum, %other : f32
          %y = arith.addf %x, %element : f32
          linalg.yield %y : f32
        } -> tensor<20x32xf32>
        iree_codegen.store_to_buffer %d, %3 : tensor<20x32xf32> into memref<20x32xf32>
        return
      }
    }
  }
}

// -----

// A processor without vectors.
// CHECK: @plain
// CHECK: linalg.matmul
func.func @plain(%a: tensor<20x24xf32>, %b: tensor<24x32xf32>, %c: tensor<20x32xf32>) -> tensor<20x32xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.matmul ins(%a, %b : tensor<20x24xf32>, tensor<24x32xf32>) outs(%c : tensor<20x32xf32>) -> tensor<20x32xf32>
  return %0 : tensor<20x32xf32>
}

// -----

// AMX's registers hold 16 rows of 32 steps: 20 rows of the left side are two of them, 32 columns as well. The shapes
// that the thread had come back.
// CHECK: @matrices
// CHECK: sttilecfg
// CHECK: vector.shuffle
// CHECK: ldtilecfg
// CHECK-COUNT-4: tilezero
// CHECK: scf.for
// CHECK-COUNT-4: tileloadd
// CHECK: tdpbf16ps %tmm6, %tmm4, %tmm0
// CHECK: tdpbf16ps %tmm7, %tmm5, %tmm3
// CHECK-COUNT-4: tilestored
// CHECK: ldtilecfg
// CHECK-NOT: tdpbf16ps
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#tiled = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
module attributes {myjit.libraries = ["amx"]} {
  hal.executable private @matrices {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>) {
      hal.executable.export public @matrices ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @matrices() attributes {translation_info = #tiled} {
          %zero = arith.constant 0 : index
          %none = arith.constant 0.0 : f32
          %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<20x64xbf16>
          %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<64x32xbf16>
          %2 = hal.interface.binding.subspan layout(#layout) binding(2) offset(%zero) : memref<20x32xf32>
          %a = iree_codegen.load_from_buffer %0 : memref<20x64xbf16> -> tensor<20x64xbf16>
          %b = iree_codegen.load_from_buffer %1 : memref<64x32xbf16> -> tensor<64x32xbf16>
          %empty = tensor.empty() : tensor<20x32xf32>
          %start = linalg.fill ins(%none : f32) outs(%empty : tensor<20x32xf32>) -> tensor<20x32xf32>
          %c = linalg.matmul ins(%a, %b : tensor<20x64xbf16>, tensor<64x32xbf16>) outs(%start : tensor<20x32xf32>) -> tensor<20x32xf32>
          iree_codegen.store_to_buffer %c, %2 : tensor<20x32xf32> into memref<20x32xf32>
          return
        }
      }
    }
  }
}

// -----

// What two registers leave of 75 steps is put between zeros.
// CHECK: @rest
// CHECK: scf.for
// CHECK-COUNT-4: tdpbf16ps
// CHECK-COUNT-20: vector.maskedload {{.*}} vector<32xbf16>
// CHECK-COUNT-4: tdpbf16ps
// CHECK-NOT: tdpbf16ps
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#tiled = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
module attributes {myjit.libraries = ["amx"]} {
  hal.executable private @rest {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>) {
      hal.executable.export public @rest ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @rest() attributes {translation_info = #tiled} {
          %zero = arith.constant 0 : index
          %none = arith.constant 0.0 : f32
          %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<20x75xbf16>
          %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<75x32xbf16>
          %2 = hal.interface.binding.subspan layout(#layout) binding(2) offset(%zero) : memref<20x32xf32>
          %a = iree_codegen.load_from_buffer %0 : memref<20x75xbf16> -> tensor<20x75xbf16>
          %b = iree_codegen.load_from_buffer %1 : memref<75x32xbf16> -> tensor<75x32xbf16>
          %empty = tensor.empty() : tensor<20x32xf32>
          %start = linalg.fill ins(%none : f32) outs(%empty : tensor<20x32xf32>) -> tensor<20x32xf32>
          %c = linalg.matmul ins(%a, %b : tensor<20x75xbf16>, tensor<75x32xbf16>) outs(%start : tensor<20x32xf32>) -> tensor<20x32xf32>
          iree_codegen.store_to_buffer %c, %2 : tensor<20x32xf32> into memref<20x32xf32>
          return
        }
      }
    }
  }
}

// -----

// Nine pairs of two channels' windows are packed at a time, from where the image lies: two vectors of each, of
// which every other number is taken, and no more than lie before the last one. Lines of eleven columns share panels.
// CHECK: @windows
// CHECK: arith.constant 4 : index
// CHECK: hal.return
// CHECK: scf.for
// CHECK-COUNT-36: vector.maskedload {{.*}} vector<32xbf16>
// CHECK: ldtilecfg
// CHECK-COUNT-4: tdpbf16ps
// CHECK-NOT: tdpbf16ps
// CHECK: vector.maskedstore
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#tiled = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
#image = affine_map<(f, y, x, c, i, j) -> (c, y + i, x * 2 + j)>
#kernel = affine_map<(f, y, x, c, i, j) -> (f, c, i, j)>
#result = affine_map<(f, y, x, c, i, j) -> (f, y, x)>
module attributes {myjit.libraries = ["amx"]} {
  hal.executable private @windows {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>) {
      hal.executable.export public @windows ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @windows() attributes {translation_info = #tiled} {
          %zero = arith.constant 0 : index
          %none = arith.constant 0.0 : f32
          %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<32x10x23xbf16>
          %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<20x32x3x3xbf16>
          %2 = hal.interface.binding.subspan layout(#layout) binding(2) offset(%zero) : memref<20x8x11xf32>
          %a = iree_codegen.load_from_buffer %0 : memref<32x10x23xbf16> -> tensor<32x10x23xbf16>
          %b = iree_codegen.load_from_buffer %1 : memref<20x32x3x3xbf16> -> tensor<20x32x3x3xbf16>
          %empty = tensor.empty() : tensor<20x8x11xf32>
          %start = linalg.fill ins(%none : f32) outs(%empty : tensor<20x8x11xf32>) -> tensor<20x8x11xf32>
          %c = linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
              ins(%a, %b : tensor<32x10x23xbf16>, tensor<20x32x3x3xbf16>) outs(%start : tensor<20x8x11xf32>) {
          ^bb0(%l: bf16, %r: bf16, %sum: f32):
            %wide = arith.extf %l : bf16 to f32
            %other = arith.extf %r : bf16 to f32
            %product = arith.mulf %wide, %other : f32
            %next = arith.addf %sum, %product : f32
            linalg.yield %next : f32
          } -> tensor<20x8x11xf32>
          iree_codegen.store_to_buffer %c, %2 : tensor<20x8x11xf32> into memref<20x8x11xf32>
          return
        }
      }
    }
  }
}

// -----

// A vector takes three lines of five columns: each is loaded as from five places before the one that it stands at.
// Eight lines are three vectors, two panels.
// CHECK: @lines
// CHECK: arith.constant 2 : index
// CHECK: hal.return
// CHECK: scf.for
// CHECK: vector.maskedload {{.*}} vector<16xbf16>
// CHECK: arith.xori {{.*}} vector<16xi1>
// CHECK: vector.maskedload {{.*}} vector<16xbf16>
// CHECK: arith.select {{.*}} vector<16xi1>, vector<16xbf16>
// CHECK-COUNT-106: vector.maskedload {{.*}} vector<16xbf16>
// CHECK: ldtilecfg
// CHECK-COUNT-4: tdpbf16ps
// CHECK-NOT: tdpbf16ps
// CHECK-COUNT-2: vector.maskedstore
// CHECK-NOT: vector.maskedstore
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#tiled = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
#image = affine_map<(f, y, x, c, i, j) -> (c, y + i, x + j)>
#kernel = affine_map<(f, y, x, c, i, j) -> (f, c, i, j)>
#result = affine_map<(f, y, x, c, i, j) -> (f, y, x)>
module attributes {myjit.libraries = ["amx"]} {
  hal.executable private @lines {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>) {
      hal.executable.export public @lines ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @lines() attributes {translation_info = #tiled} {
          %zero = arith.constant 0 : index
          %none = arith.constant 0.0 : f32
          %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<32x10x7xbf16>
          %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<20x32x3x3xbf16>
          %2 = hal.interface.binding.subspan layout(#layout) binding(2) offset(%zero) : memref<20x8x5xf32>
          %a = iree_codegen.load_from_buffer %0 : memref<32x10x7xbf16> -> tensor<32x10x7xbf16>
          %b = iree_codegen.load_from_buffer %1 : memref<20x32x3x3xbf16> -> tensor<20x32x3x3xbf16>
          %empty = tensor.empty() : tensor<20x8x5xf32>
          %start = linalg.fill ins(%none : f32) outs(%empty : tensor<20x8x5xf32>) -> tensor<20x8x5xf32>
          %c = linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
              ins(%a, %b : tensor<32x10x7xbf16>, tensor<20x32x3x3xbf16>) outs(%start : tensor<20x8x5xf32>) {
          ^bb0(%l: bf16, %r: bf16, %sum: f32):
            %wide = arith.extf %l : bf16 to f32
            %other = arith.extf %r : bf16 to f32
            %product = arith.mulf %wide, %other : f32
            %next = arith.addf %sum, %product : f32
            linalg.yield %next : f32
          } -> tensor<20x8x5xf32>
          iree_codegen.store_to_buffer %c, %2 : tensor<20x8x5xf32> into memref<20x8x5xf32>
          return
        }
      }
    }
  }
}

// -----

// A weight's gradient: five lines of three columns are a vector, whose steps lie in runs of 14. A vector of 32 holds two
// runs, each masked, and squares of 16 vectors are turned. What it gives is written 15 columns at a time.
// CHECK: @of_weight
// CHECK: vector.maskedload {{.*}} vector<32xbf16>
// CHECK: arith.xori {{.*}} vector<32xi1>
// CHECK: vector.maskedload {{.*}} vector<32xbf16>
// CHECK: arith.select {{.*}} vector<32xi1>, vector<32xbf16>
// CHECK: vector.shuffle {{.*}} vector<16xi32>
// CHECK: tdpbf16ps
// CHECK-COUNT-2: vector.maskedstore
// CHECK-NOT: vector.maskedstore
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#tiled = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
#image = affine_map<(f, c, y, x, n, i, j) -> (c, n, y + i, x + j)>
#kernel = affine_map<(f, c, y, x, n, i, j) -> (f, n, i, j)>
#result = affine_map<(f, c, y, x, n, i, j) -> (f, c, y, x)>
module attributes {myjit.libraries = ["amx"]} {
  hal.executable private @of_weight {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>) {
      hal.executable.export public @of_weight ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @of_weight() attributes {translation_info = #tiled} {
          %zero = arith.constant 0 : index
          %none = arith.constant 0.0 : f32
          %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<32x2x16x16xbf16>
          %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<20x2x14x14xbf16>
          %2 = hal.interface.binding.subspan layout(#layout) binding(2) offset(%zero) : memref<20x32x3x3xf32>
          %a = iree_codegen.load_from_buffer %0 : memref<32x2x16x16xbf16> -> tensor<32x2x16x16xbf16>
          %b = iree_codegen.load_from_buffer %1 : memref<20x2x14x14xbf16> -> tensor<20x2x14x14xbf16>
          %empty = tensor.empty() : tensor<20x32x3x3xf32>
          %start = linalg.fill ins(%none : f32) outs(%empty : tensor<20x32x3x3xf32>) -> tensor<20x32x3x3xf32>
          %c = linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
              ins(%a, %b : tensor<32x2x16x16xbf16>, tensor<20x2x14x14xbf16>) outs(%start : tensor<20x32x3x3xf32>) {
          ^bb0(%l: bf16, %r: bf16, %sum: f32):
            %wide = arith.extf %l : bf16 to f32
            %other = arith.extf %r : bf16 to f32
            %product = arith.mulf %wide, %other : f32
            %next = arith.addf %sum, %product : f32
            linalg.yield %next : f32
          } -> tensor<20x32x3x3xf32>
          iree_codegen.store_to_buffer %c, %2 : tensor<20x32x3x3xf32> into memref<20x32x3x3xf32>
          return
        }
      }
    }
  }
}

// -----

// Linux ends processes that use AMX and have not asked for it.
// CHECK: @asked_for
// CHECK-NOT: tile
// CHECK: avx512bf16.dpbf16ps
// CHECK-NOT: tile
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
#tiled = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
module attributes {myjit.libraries = ["openmp"]} {
  hal.executable private @asked_for {
    hal.executable.variant public @cpu target(<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>) {
      hal.executable.export public @asked_for ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @asked_for() attributes {translation_info = #tiled} {
          %zero = arith.constant 0 : index
          %none = arith.constant 0.0 : f32
          %0 = hal.interface.binding.subspan layout(#layout) binding(0) offset(%zero) : memref<20x64xbf16>
          %1 = hal.interface.binding.subspan layout(#layout) binding(1) offset(%zero) : memref<64x32xbf16>
          %2 = hal.interface.binding.subspan layout(#layout) binding(2) offset(%zero) : memref<20x32xf32>
          %a = iree_codegen.load_from_buffer %0 : memref<20x64xbf16> -> tensor<20x64xbf16>
          %b = iree_codegen.load_from_buffer %1 : memref<64x32xbf16> -> tensor<64x32xbf16>
          %empty = tensor.empty() : tensor<20x32xf32>
          %start = linalg.fill ins(%none : f32) outs(%empty : tensor<20x32xf32>) -> tensor<20x32xf32>
          %c = linalg.matmul ins(%a, %b : tensor<20x64xbf16>, tensor<64x32xbf16>) outs(%start : tensor<20x32xf32>) -> tensor<20x32xf32>
          iree_codegen.store_to_buffer %c, %2 : tensor<20x32xf32> into memref<20x32xf32>
          return
        }
      }
    }
  }
}
