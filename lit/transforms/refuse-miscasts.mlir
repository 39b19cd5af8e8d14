// RUN: myjit opt %s -p refuse-miscasts --split-input-file --verify-diagnostics

func.func @another_size(%a: tensor<6x3xf32>) -> tensor<6x1xf32> {
  %0 = tensor.cast %a : tensor<6x3xf32> to tensor<?x?xf32>
  // expected-error@+1 {{a tensor of tensor<6x3xf32> is cast to tensor<6x1xf32>}}
  %1 = tensor.cast %0 : tensor<?x?xf32> to tensor<6x1xf32>
  return %1 : tensor<6x1xf32>
}

// -----

func.func @the_same_size(%a: tensor<6x?xf32>) -> tensor<6x1xf32> {
  %0 = tensor.cast %a : tensor<6x?xf32> to tensor<?x?xf32>
  %1 = tensor.cast %0 : tensor<?x?xf32> to tensor<6x1xf32>
  return %1 : tensor<6x1xf32>
}

func.func @no_rank(%a: tensor<*xf32>) -> tensor<6x1xf32> {
  %0 = tensor.cast %a : tensor<*xf32> to tensor<6x1xf32>
  return %0 : tensor<6x1xf32>
}
