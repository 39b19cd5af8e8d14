// RUN: myjit opt --level dispatch --passes widen-vectors --split-input-file %s | filecheck %s
// RUN: myjit opt --level dispatch --passes 'widen-vectors{pointwise=2}' --split-input-file %s | filecheck %s --check-prefix=TWO
// RUN: not myjit opt --level dispatch --passes 'widen-vectors{pointwize=2}' %s 2>&1 | filecheck %s --check-prefix=BAD
// BAD: 'pointwise'

// CHECK: lowering_config<distribution = [64], vector_common_parallel = [32]>
// TWO: vector_common_parallel = [16]
// TWO: @pointwise
// CHECK: @pointwise
func.func @pointwise(%x: tensor<64xf32>) -> tensor<64xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<64xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64], vector_common_parallel = [8]>} {
  ^bb0(%a: f32):
    linalg.yield %a : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// 72 is divided by 8, and by nothing wider.
// CHECK: lowering_config<distribution = [72], vector_common_parallel = [8]>
// CHECK: @indivisible
func.func @indivisible(%x: tensor<72xf32>) -> tensor<72xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<72xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [72], vector_common_parallel = [8]>} {
  ^bb0(%a: f32):
    linalg.yield %a : f32
  } -> tensor<72xf32>
  return %0 : tensor<72xf32>
}

// -----

// Bytes are widened inside, and would lose.
// CHECK: lowering_config<distribution = [64], vector_common_parallel = [8]>
// CHECK: @bytes
func.func @bytes(%x: tensor<64xi8>) -> tensor<64xi8>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<64xi8>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64], vector_common_parallel = [8]>} {
  ^bb0(%a: i8):
    linalg.yield %a : i8
  } -> tensor<64xi8>
  return %0 : tensor<64xi8>
}

// -----

// Rows of several steps are taken 64 wide, one at a time,
// CHECK: lowering_config<distribution = [8, 0], vector_common_parallel = [1, 0], vector_reduction = [0, 64]>
// CHECK: @rows
func.func @rows(%x: tensor<16x128xf32>, %s: tensor<16xf32>) -> tensor<16xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d, r) -> (d, r)>, affine_map<(d, r) -> (d)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<16x128xf32>) outs(%s : tensor<16xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [8, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 8]>} {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// rows of one step two at a time.
// CHECK: lowering_config<distribution = [8, 0], vector_common_parallel = [2, 0], vector_reduction = [0, 64]>
// CHECK: @rows_of_one_step
func.func @rows_of_one_step(%x: tensor<16x64xf32>, %s: tensor<16xf32>) -> tensor<16xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d, r) -> (d, r)>, affine_map<(d, r) -> (d)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<16x64xf32>) outs(%s : tensor<16xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [8, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 8]>} {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// A byte of each row does not keep the rows from growing.
// CHECK: lowering_config<distribution = [8, 0], vector_common_parallel = [1, 0], vector_reduction = [0, 64]>
// CHECK: @a_byte_a_row
func.func @a_byte_a_row(%x: tensor<16x128xf32>, %m: tensor<16xi8>, %s: tensor<16xf32>) -> tensor<16xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d, r) -> (d, r)>, affine_map<(d, r) -> (d)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<16x128xf32>) outs(%s : tensor<16xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [8, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 8]>} {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.addf %a, %b : f32
    linalg.yield %2 : f32
  } -> tensor<16xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
    ins(%m : tensor<16xi8>) outs(%0 : tensor<16xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<vector_common_parallel = [8]>} {
  ^bb0(%a: i8, %b: f32):
    %2 = arith.sitofp %a : i8 to f32
    %3 = arith.mulf %2, %b : f32
    linalg.yield %3 : f32
  } -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// What is left of rows that no tile divides goes into a loop of its own.
// CHECK: lowering_config<distribution = [8, 0], vector_common_parallel = [1, 0], vector_reduction = [0, 64]>
// CHECK: enable_loop_peeling
// CHECK: @prime_rows
func.func @prime_rows(%x: tensor<16x197xf32>, %s: tensor<16xf32>) -> tensor<16xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d, r) -> (d, r)>, affine_map<(d, r) -> (d)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<16x197xf32>) outs(%s : tensor<16xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [8, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 8]>} {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Short ones are taken whole.
// CHECK: lowering_config<distribution = [8, 0], vector_common_parallel = [1, 0], vector_reduction = [0, 29]>
// CHECK-NOT: enable_loop_peeling
// CHECK: @short_rows
func.func @short_rows(%x: tensor<16x29xf32>, %s: tensor<16xf32>) -> tensor<16xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d, r) -> (d, r)>, affine_map<(d, r) -> (d)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<16x29xf32>) outs(%s : tensor<16xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [8, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 8]>} {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// CHECK: lowering_config<distribution = [64, 0], vector_common_parallel = [64, 0], vector_reduction = [0, 1]>
// CHECK: @columns
func.func @columns(%x: tensor<128x64xf32>, %s: tensor<64xf32>) -> tensor<64xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d, r) -> (r, d)>, affine_map<(d, r) -> (d)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<128x64xf32>) outs(%s : tensor<64xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 1]>} {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// So are rows of a pointwise loop; a workgroup gets about as many elements as before.
// CHECK: lowering_config<distribution = [24, 0], vector_common_parallel = [1, 197]>
// CHECK: @prime_pointwise
func.func @prime_pointwise(%x: tensor<591x197xf32>, %m: tensor<591xf32>, %s: tensor<591x197xf32>) -> tensor<591x197xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : tensor<591x197xf32>, tensor<591xf32>) outs(%s : tensor<591x197xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [96, 50], vector_common_parallel = [1, 8]>} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.subf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<591x197xf32>
  return %0 : tensor<591x197xf32>
}

// -----

// CHECK: lowering_config<distribution = [4, 1000], vector_common_parallel = [1, 8]>
// CHECK: @long_rows
func.func @long_rows(%x: tensor<16x1001xf32>, %m: tensor<16xf32>, %s: tensor<16x1001xf32>) -> tensor<16x1001xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : tensor<16x1001xf32>, tensor<16xf32>) outs(%s : tensor<16x1001xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [4, 1000], vector_common_parallel = [1, 8]>} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.subf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<16x1001xf32>
  return %0 : tensor<16x1001xf32>
}

// -----

// A product stays, though its tile goes along one loop.
// CHECK: vector_common_parallel = [1, 16, 0], vector_reduction = [0, 0, 16]
func.func @product(%a: tensor<1x768xf32>, %b: tensor<768x768xf32>, %c: tensor<1x768xf32>) -> tensor<1x768xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.matmul {lowering_config = #iree_cpu.lowering_config<distribution = [0, 64, 0], vector_common_parallel = [1, 16, 0], vector_reduction = [0, 0, 16]>}
    ins(%a, %b : tensor<1x768xf32>, tensor<768x768xf32>) outs(%c : tensor<1x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}

// -----

// Rows of unknown length go four registers at a time, one row after the other, what is left in a loop of its own.
// CHECK: #[[TILES:.*]] = #iree_cpu.lowering_config<distribution = [8, 0], vector_common_parallel = [1, 0], vector_reduction = [0, 32]>
// CHECK: #[[PEELED:.*]] = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>, {enable_loop_peeling}>
// CHECK: @unknown_rows
// CHECK-SAME: translation_info = #[[PEELED]]
// CHECK: lowering_config = #[[TILES]]
func.func @unknown_rows(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d, r) -> (d, r)>, affine_map<(d, r) -> (d)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<?x?xf32>) outs(%s : tensor<?xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [8, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 8]>} {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// As many workgroups, of longer pieces of fewer blocks.
// CHECK: lowering_config<distribution = [1, 256, 0], vector_common_parallel = [1, 64, 0], vector_reduction = [0, 0, 1]>
// CHECK: @blocks_of_rows
func.func @blocks_of_rows(%x: tensor<8x128x1024xf32>, %s: tensor<8x1024xf32>) -> tensor<8x1024xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(b, c, r) -> (b, r, c)>, affine_map<(b, c, r) -> (b, c)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<8x128x1024xf32>) outs(%s : tensor<8x1024xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [8, 32, 0], vector_common_parallel = [1, 8, 0], vector_reduction = [0, 0, 1]>} {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8x1024xf32>
  return %0 : tensor<8x1024xf32>
}

// -----

// Fewer workgroups, of longer pieces, but eight.
// CHECK: lowering_config<distribution = [256, 0], vector_common_parallel = [64, 0], vector_reduction = [0, 1]>
// CHECK: @long_rows
func.func @long_rows(%x: tensor<128x2048xf32>, %s: tensor<2048xf32>) -> tensor<2048xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(c, r) -> (r, c)>, affine_map<(c, r) -> (c)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<128x2048xf32>) outs(%s : tensor<2048xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [32, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 1]>} {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<2048xf32>
  return %0 : tensor<2048xf32>
}

// -----

// Rows of products are added up one after the other, as other rows are.
// CHECK: vector_common_parallel = [64, 0], vector_reduction = [0, 1]>
// CHECK: @products
func.func @products(%x: tensor<128x64xf32>, %y: tensor<128x64xf32>, %s: tensor<64xf32>) -> tensor<64xf32>
    attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d, r) -> (r, d)>, affine_map<(d, r) -> (r, d)>, affine_map<(d, r) -> (d)>], iterator_types = ["parallel", "reduction"]}
    ins(%x, %y : tensor<128x64xf32>, tensor<128x64xf32>) outs(%s : tensor<64xf32>) attrs = {
    lowering_config = #iree_cpu.lowering_config<distribution = [64, 0], vector_common_parallel = [8, 0], vector_reduction = [0, 16]>} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
