// RUN: myjit opt --level linalg --passes unsigned-extremes --split-input-file %s | filecheck %s

#whole = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>

// The least int32 is 0 of unsigned numbers, the largest all ones.
// CHECK-LABEL: @most
// CHECK: %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK: linalg.fill ins(%[[ZERO]] : i32)
// CHECK: linalg.generic
// CHECK: %[[SIGN:.+]] = arith.constant -2147483648 : i32
// CHECK: %[[FLIPPED:.+]] = arith.xori %{{.+}}, %[[SIGN]]
// CHECK: arith.maxui %[[FLIPPED]], %{{.+}} : i32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK: arith.xori
func.func @most(%x: tensor<4x99xi32>) -> tensor<4xi32> {
  %least = arith.constant -2147483648 : i32
  %empty = tensor.empty() : tensor<4xi32>
  %start = linalg.fill ins(%least : i32) outs(%empty : tensor<4xi32>) -> tensor<4xi32>
  %most = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x99xi32>) outs(%start : tensor<4xi32>) {
  ^bb0(%one: i32, %total: i32):
    %next = arith.maxsi %one, %total : i32
    linalg.yield %next : i32
  } -> tensor<4xi32>
  return %most : tensor<4xi32>
}

// -----

#whole = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>

// CHECK-LABEL: @least_byte
// CHECK: arith.constant -1 : i8
// CHECK: arith.constant -128 : i8
// CHECK: arith.minui
func.func @least_byte(%x: tensor<4x99xi8>) -> tensor<4xi8> {
  %most = arith.constant 127 : i8
  %empty = tensor.empty() : tensor<4xi8>
  %start = linalg.fill ins(%most : i8) outs(%empty : tensor<4xi8>) -> tensor<4xi8>
  %least = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x99xi8>) outs(%start : tensor<4xi8>) {
  ^bb0(%one: i8, %total: i8):
    %next = arith.minsi %one, %total : i8
    linalg.yield %next : i8
  } -> tensor<4xi8>
  return %least : tensor<4xi8>
}

// -----

#whole = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>

// 64 bits are as wide as what IREE starts from.
// CHECK-LABEL: @long
// CHECK: arith.maxsi
func.func @long(%x: tensor<4x99xi64>) -> tensor<4xi64> {
  %least = arith.constant -9223372036854775808 : i64
  %empty = tensor.empty() : tensor<4xi64>
  %start = linalg.fill ins(%least : i64) outs(%empty : tensor<4xi64>) -> tensor<4xi64>
  %most = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x99xi64>) outs(%start : tensor<4xi64>) {
  ^bb0(%one: i64, %total: i64):
    %next = arith.maxsi %one, %total : i64
    linalg.yield %next : i64
  } -> tensor<4xi64>
  return %most : tensor<4xi64>
}
