// RUN: myjit opt --level linalg --passes widen-truths --split-input-file %s | filecheck %s

#whole = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>

// What is compared stays where it is; the total is a number, compared with nothing in the end.
// CHECK-LABEL: @any
// CHECK: %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK: %[[START:.+]] = linalg.fill ins(%[[ZERO]] : i32)
// CHECK: %[[TOTAL:.+]] = linalg.generic {{.*}} outs(%[[START]] : tensor<4xi32>)
// CHECK: %[[LESS:.+]] = arith.cmpi slt
// CHECK: %[[WIDE:.+]] = arith.extui %[[LESS]] : i1 to i32
// CHECK: arith.ori %[[WIDE]], %{{.+}} : i32
// CHECK: linalg.generic {{.*}} ins(%[[TOTAL]] : tensor<4xi32>) outs(%{{.+}} : tensor<4xi1>)
// CHECK: arith.trunci %{{.+}} : i32 to i1
func.func @any(%x: tensor<4x99xi64>) -> tensor<4xi1> {
  %zero = arith.constant 0 : i64
  %no = arith.constant false
  %empty = tensor.empty() : tensor<4xi1>
  %start = linalg.fill ins(%no : i1) outs(%empty : tensor<4xi1>) -> tensor<4xi1>
  %any = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x99xi64>) outs(%start : tensor<4xi1>) {
  ^bb0(%one: i64, %total: i1):
    %less = arith.cmpi slt, %one, %zero : i64
    %next = arith.ori %less, %total : i1
    linalg.yield %next : i1
  } -> tensor<4xi1>
  return %any : tensor<4xi1>
}

// -----

#whole = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>

// Numbers are left as they are.
// CHECK-LABEL: @bits
// CHECK-NOT: arith.extui
func.func @bits(%x: tensor<4x99xi32>) -> tensor<4xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<4xi32>
  %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<4xi32>) -> tensor<4xi32>
  %bits = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x99xi32>) outs(%start : tensor<4xi32>) {
  ^bb0(%one: i32, %total: i32):
    %next = arith.ori %one, %total : i32
    linalg.yield %next : i32
  } -> tensor<4xi32>
  return %bits : tensor<4xi32>
}
