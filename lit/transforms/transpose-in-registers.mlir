// RUN: myjit opt --level dispatch --passes transpose-in-registers --split-input-file %s | filecheck %s
// RUN: myjit opt --level dispatch --passes 'transpose-in-registers{most=8}' --split-input-file %s | filecheck %s --check-prefix=EIGHT

// One of the tensors lies across: its blocks are as high as vectors are wide.
// CHECK: lowering_config<distribution = [64, 48], vector_common_parallel = [16, 16]>
// EIGHT: lowering_config<distribution = [64, 56], vector_common_parallel = [8, 8]>
// CHECK: @across
func.func @across(%x0: tensor<96x128xf32>, %x1: tensor<128x96xf32>, %s: tensor<128x96xf32>) -> tensor<128x96xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x0, %x1 : tensor<96x128xf32>, tensor<128x96xf32>) outs(%s : tensor<128x96xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 56], vector_common_parallel = [1, 16]>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<128x96xf32>
  return %0 : tensor<128x96xf32>
}

// -----

// The loop between them stays a loop.
// CHECK: lowering_config<distribution = [8, 64, 48], vector_common_parallel = [1, 16, 16]>
// CHECK: @images
func.func @images(%x0: tensor<8x3136x96xf32>, %x1: tensor<8x96x3136xf32>, %s: tensor<8x96x3136xf32>) -> tensor<8x96x3136xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, c, p) -> (n, p, c)>, affine_map<(n, c, p) -> (n, c, p)>, affine_map<(n, c, p) -> (n, c, p)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x0, %x1 : tensor<8x3136x96xf32>, tensor<8x96x3136xf32>) outs(%s : tensor<8x96x3136xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [8, 64, 48], vector_common_parallel = [1, 1, 16]>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x96x3136xf32>
  return %0 : tensor<8x96x3136xf32>
}

// -----

// One number for each row is no tensor that lies across.
// CHECK: lowering_config<distribution = [64, 64], vector_common_parallel = [1, 16]>
// CHECK: @row_numbers
func.func @row_numbers(%x0: tensor<128xf32>, %x1: tensor<128x96xf32>, %s: tensor<128x96xf32>) -> tensor<128x96xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x0, %x1 : tensor<128xf32>, tensor<128x96xf32>) outs(%s : tensor<128x96xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 64], vector_common_parallel = [1, 16]>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<128x96xf32>
  return %0 : tensor<128x96xf32>
}

// -----

// Three channels fill no block.
// CHECK: lowering_config<distribution = [3, 64], vector_common_parallel = [1, 16]>
// CHECK: @channels
func.func @channels(%x0: tensor<96x3xf32>, %s: tensor<3x96xf32>) -> tensor<3x96xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x0 : tensor<96x3xf32>) outs(%s : tensor<3x96xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [3, 64], vector_common_parallel = [1, 16]>} {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<3x96xf32>
  return %0 : tensor<3x96xf32>
}

// -----

// Of two that lie across, each another way, no block is small enough for registers.
// CHECK: lowering_config<distribution = [32, 48, 48], vector_common_parallel = [1, 1, 16]>
// CHECK: @two_ways
func.func @two_ways(%x0: tensor<96x96x96xf32>, %x1: tensor<96x96x96xf32>, %s: tensor<96x96x96xf32>) -> tensor<96x96x96xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j, i)>, affine_map<(i, j, k) -> (i, k, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x0, %x1 : tensor<96x96x96xf32>, tensor<96x96x96xf32>) outs(%s : tensor<96x96x96xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [32, 48, 48], vector_common_parallel = [1, 1, 16]>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<96x96x96xf32>
  return %0 : tensor<96x96x96xf32>
}

// -----

// A sum along rows, of a product with what lies across them.
// CHECK: lowering_config<vector_common_parallel = [16]>
// CHECK: lowering_config<distribution = [64, 0], vector_common_parallel = [16, 0], vector_reduction = [0, 16]>
// CHECK: @sum
func.func @sum(%x: tensor<128x96xf32>, %y: tensor<96x128xf32>, %s: tensor<96xf32>, %c: f32) -> tensor<96xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %z = linalg.fill {lowering_config = #iree_cpu.lowering_config<vector_common_parallel = [8]>} ins(%c : f32) outs(%s : tensor<96xf32>) -> tensor<96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, r) -> (r, i)>, affine_map<(i, r) -> (i, r)>, affine_map<(i, r) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x, %y : tensor<128x96xf32>, tensor<96x128xf32>) outs(%z : tensor<96xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 16]>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %p, %o : f32
    linalg.yield %t : f32
  } -> tensor<96xf32>
  return %0 : tensor<96xf32>
}

// -----

// Where all tensors lie across the last loop, none is turned: columns are added up.
// CHECK: vector_common_parallel = [8, 0], vector_reduction = [0, 1]
// CHECK: @columns
func.func @columns(%x: tensor<128x96xf32>, %s: tensor<96xf32>, %c: f32) -> tensor<96xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %z = linalg.fill {lowering_config = #iree_cpu.lowering_config<vector_common_parallel = [8]>} ins(%c : f32) outs(%s : tensor<96xf32>) -> tensor<96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, r) -> (r, i)>, affine_map<(i, r) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<128x96xf32>) outs(%z : tensor<96xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 1]>} {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<96xf32>
  return %0 : tensor<96xf32>
}

// -----

// A vector beside a matrix does not make rows of its columns.
// CHECK: lowering_config<distribution = [64, 0], vector_common_parallel = [16, 0], vector_reduction = [0, 1]>
// CHECK: @weighted
func.func @weighted(%x: tensor<128x96xf32>, %w: tensor<128xf32>, %s: tensor<96xf32>) -> tensor<96xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %zero = arith.constant 0.0 : f32
  %1 = linalg.fill {lowering_config = #iree_cpu.lowering_config<vector_common_parallel = [16]>} ins(%zero : f32) outs(%s : tensor<96xf32>) -> tensor<96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x, %w : tensor<128x96xf32>, tensor<128xf32>) outs(%1 : tensor<96xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 0], vector_common_parallel = [16, 0], vector_reduction = [0, 1]>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    %u = arith.maximumf %t, %o : f32
    linalg.yield %u : f32
  } -> tensor<96xf32>
  return %0 : tensor<96xf32>
}
