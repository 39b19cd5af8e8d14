// RUN: myjit opt --level global --passes blas-products --split-input-file %s | filecheck %s
// RUN: myjit opt --level global --passes 'blas-products{work=100000000}' --split-input-file %s | filecheck %s --check-prefix=NONE
// RUN: not myjit opt --level global --passes 'blas-products{row=2}' %s 2>&1 | filecheck %s --check-prefix=BAD
// BAD: 'rows'
// NONE-NOT: flow.dispatch
// NONE: @unknown

#left = affine_map<(m, n, k) -> (m, k)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>

// The right side is transposed, in steps of 768.
// CHECK: util.global private @myjit_library = #flow.parameter.named<"model"::"myjit.library">
// CHECK: hal.executable.source private @myjit_gemm_f32
// CHECK: attributes {myjit.own_threads}
// CHECK: callq
// CHECK: @linear
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<96x768xf32>, %[[W:[a-z0-9]+]]: tensor<512x768xf32>
// CHECK-NOT: linalg.matmul
// Numbers are of two words, the lower one first.
// CHECK: flow.dispatch @myjit_gemm_f32::@myjit_gemm_f32[%c1{{.*}}](%c96_i32, %c0_i32, %c512_i32, %c0_i32{{.*}}, %c768_i32, %c0_i32{{.*}}, %c768_i32{{.*}}, %c768_i32{{.*}}, %c512_i32{{.*}}, %c0_i32{{.*}}, %c1_i32{{.*}}, %[[X]], %[[W]])
module attributes {myjit.libraries = ["openmp", "blas"]} {
  util.func public @linear(%a: tensor<96x768xf32>, %b: tensor<512x768xf32>) -> tensor<96x512xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<96x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<96x512xf32>) -> tensor<96x512xf32>
    %0 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%a, %b : tensor<96x768xf32>, tensor<512x768xf32>) outs(%f : tensor<96x512xf32>) -> tensor<96x512xf32>
    util.return %0 : tensor<96x512xf32>
  }
}

// -----

// Without a BLAS where it will run, and of few rows: nothing is called.
// CHECK: @elsewhere
// CHECK: linalg.matmul
// CHECK-NOT: flow.dispatch
util.func public @elsewhere(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>, %c: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
  util.return %0 : tensor<256x256xf32>
}

// -----

// CHECK: @few_rows
// CHECK: linalg.matmul
// CHECK-NOT: flow.dispatch
module attributes {myjit.libraries = ["openmp", "blas"]} {
  util.func public @few_rows(%a: tensor<4x1024xf32>, %b: tensor<1024x1024xf32>, %c: tensor<4x1024xf32>) -> tensor<4x1024xf32> {
    %0 = linalg.matmul ins(%a, %b : tensor<4x1024xf32>, tensor<1024x1024xf32>) outs(%c : tensor<4x1024xf32>) -> tensor<4x1024xf32>
    util.return %0 : tensor<4x1024xf32>
  }
}

// -----

// A product that does not start from zero is added to what it starts from.
// CHECK: @started
// CHECK-SAME: %[[START:[a-z0-9]+]]: tensor<256x256xf32>)
// CHECK: %[[PRODUCT:.*]] = flow.dispatch @myjit_gemm_bf16
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]], %[[START]]
// CHECK: arith.addf
module attributes {myjit.libraries = ["openmp", "blas"]} {
  util.func public @started(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>, %c: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %0 = linalg.matmul ins(%a, %b : tensor<256x256xbf16>, tensor<256x256xbf16>) outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
    util.return %0 : tensor<256x256xf32>
  }
}

// -----

#q = affine_map<(b, h, m, n, k) -> (b, m, h, k)>
#k = affine_map<(b, h, m, n, k) -> (b, n, h, k)>
#scores = affine_map<(b, h, m, n, k) -> (b, h, m, n)>

// Heads side by side need no transpose: a row is 12 × 64 elements from the next, a head 64.
// CHECK: @heads
// CHECK: flow.dispatch @myjit_gemm_f32::@myjit_gemm_f32[%c24{{.*}}](%c197_i32{{.*}}, %c197_i32{{.*}}, %c64_i32{{.*}}, %c768_i32{{.*}}, %c768_i32{{.*}}, %c197_i32{{.*}}, %c0_i32{{.*}}, %c1_i32{{.*}}, %c12_i32{{.*}}, %c151296_i32{{.*}}, %c151296_i32{{.*}}, %c465708_i32{{.*}}, %c64_i32{{.*}}, %c64_i32{{.*}}, %c38809_i32
module attributes {myjit.libraries = ["openmp", "blas"]} {
  util.func public @heads(%a: tensor<2x197x12x64xf32>, %b: tensor<2x197x12x64xf32>) -> tensor<2x12x197x197xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<2x12x197x197xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x12x197x197xf32>) -> tensor<2x12x197x197xf32>
    %0 = linalg.generic {indexing_maps = [#q, #k, #scores], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<2x197x12x64xf32>, tensor<2x197x12x64xf32>) outs(%f : tensor<2x12x197x197xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %1 = arith.mulf %x, %y : f32
      %2 = arith.addf %z, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<2x12x197x197xf32>
    util.return %0 : tensor<2x12x197x197xf32>
  }
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>

// Sizes that are known when the program runs, which then sees that BLAS can count so far.
// CHECK: @unknown
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x768xf32>
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[COUNT:.*]] = arith.muli %{{.*}}, %[[ROWS]]
// CHECK: %[[WORD:.*]] = arith.index_cast %[[COUNT]] : index to i64
// CHECK: arith.trunci %[[WORD]] : i64 to i32
// CHECK: cf.assert
// CHECK: flow.dispatch @myjit_gemm_f32::@myjit_gemm_f32{{.*}} : ({{.*}}tensor<?x768xf32>{%{{.*}}}, tensor<512x768xf32>) -> tensor<?x512xf32>{%{{.*}}}
// CHECK-NOT: linalg.matmul
module attributes {myjit.libraries = ["openmp", "blas"]} {
  util.func public @unknown(%a: tensor<?x768xf32>, %b: tensor<512x768xf32>, %n: index) -> tensor<?x512xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty(%n) : tensor<?x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
    %0 = linalg.matmul indexing_maps = [#left, #transposed, #result] ins(%a, %b : tensor<?x768xf32>, tensor<512x768xf32>) outs(%f : tensor<?x512xf32>) -> tensor<?x512xf32>
    util.return %0 : tensor<?x512xf32>
  }
}

// -----

#image = affine_map<(f, y, x, c) -> (c, y, x)>
#kernel = affine_map<(f, y, x, c) -> (f, c)>
#sums = affine_map<(f, y, x, c) -> (f, y, x)>

// Rows of fourteen pixels: all of an image's are columns, which panels multiply, and not one product a row.
// CHECK: @pixels
// CHECK-NOT: flow.dispatch
// CHECK: linalg.generic
module attributes {
    myjit.libraries = ["openmp", "blas"],
    myjit.processor = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx2,+fma"}>} {
  util.func public @pixels(%x: tensor<512x14x14xf32>, %w: tensor<1024x512xf32>, %o: tensor<1024x14x14xf32>) -> tensor<1024x14x14xf32> {
    %0 = linalg.generic {indexing_maps = [#image, #kernel, #sums], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x14x14xf32>, tensor<1024x512xf32>) outs(%o : tensor<1024x14x14xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %m : f32
      linalg.yield %s : f32
    } -> tensor<1024x14x14xf32>
    util.return %0 : tensor<1024x14x14xf32>
  }
}

// -----

#across = affine_map<(m, n, k) -> (k, m)>
#right = affine_map<(m, n, k) -> (k, n)>
#product = affine_map<(m, n, k) -> (m, n)>
#amx = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>

// Where MKL is at its fastest it takes products whose rows lie across, a weight's gradient, and those of many rows.
// CHECK: @gradient
// CHECK: flow.dispatch @myjit_gemm_f32::@myjit_gemm_f32
// CHECK-NOT: linalg.matmul
module attributes {myjit.libraries = ["amx", "openmp", "blas"], myjit.processor = #amx} {
  util.func public @gradient(%a: tensor<128x192xf32>, %b: tensor<128x256xf32>, %c: tensor<192x256xf32>) -> tensor<192x256xf32> {
    %0 = linalg.matmul indexing_maps = [#across, #right, #product] ins(%a, %b : tensor<128x192xf32>, tensor<128x256xf32>) outs(%c : tensor<192x256xf32>) -> tensor<192x256xf32>
    util.return %0 : tensor<192x256xf32>
  }
}

// -----

#rows = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#product = affine_map<(m, n, k) -> (m, n)>
#turned = affine_map<(m, n, k) -> (n, m)>
#amx = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>

// CHECK: @few_enough
// CHECK: linalg.matmul
// CHECK: flow.dispatch @myjit_gemm_f32::@myjit_gemm_f32
// Of a result that lies the other way round the columns are the panels' rows: 128 of them.
// CHECK: linalg.generic
module attributes {myjit.libraries = ["amx", "openmp", "blas"], myjit.processor = #amx} {
  util.func public @few_enough(%a: tensor<256x256xf32>, %b: tensor<257x256xf32>, %w: tensor<256x256xf32>, %v: tensor<128x256xf32>, %c: tensor<256x256xf32>, %d: tensor<257x256xf32>, %e: tensor<128x257xf32>) -> (tensor<256x256xf32>, tensor<257x256xf32>, tensor<128x257xf32>) {
    %0 = linalg.matmul indexing_maps = [#rows, #right, #product] ins(%a, %w : tensor<256x256xf32>, tensor<256x256xf32>) outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = linalg.matmul indexing_maps = [#rows, #right, #product] ins(%b, %w : tensor<257x256xf32>, tensor<256x256xf32>) outs(%d : tensor<257x256xf32>) -> tensor<257x256xf32>
    %2 = linalg.generic {indexing_maps = [#rows, affine_map<(m, n, k) -> (n, k)>, #turned], iterator_types = ["parallel", "parallel", "reduction"]} ins(%b, %v : tensor<257x256xf32>, tensor<128x256xf32>) outs(%e : tensor<128x257xf32>) {
    ^bb0(%x: f32, %y: f32, %sum: f32):
      %m = arith.mulf %x, %y : f32
      %s = arith.addf %sum, %m : f32
      linalg.yield %s : f32
    } -> tensor<128x257xf32>
    util.return %0, %1, %2 : tensor<256x256xf32>, tensor<257x256xf32>, tensor<128x257xf32>
  }
}

// -----

#rows = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#product = affine_map<(m, n, k) -> (m, n)>
#amx = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu_features = "+avx512f,+avx512bf16,+amx-bf16"}>

// Those of bfloat16 are AMX's, however many rows there are.
// CHECK: @halves
// CHECK: linalg.matmul
module attributes {myjit.libraries = ["amx", "openmp", "blas"], myjit.processor = #amx} {
  util.func public @halves(%a: tensor<512x197xbf16>, %b: tensor<197x256xbf16>, %c: tensor<512x256xf32>) -> tensor<512x256xf32> {
    %0 = linalg.matmul indexing_maps = [#rows, #right, #product] ins(%a, %b : tensor<512x197xbf16>, tensor<197x256xbf16>) outs(%c : tensor<512x256xf32>) -> tensor<512x256xf32>
    util.return %0 : tensor<512x256xf32>
  }
}
