# RUN: %python %s | filecheck %s
"""What the importer writes: element types, dynamic sizes, literals, several results, places."""

import torch

from myjit.frontend.exported import export_model, exported_graph, import_graph
from myjit.mlir.context import new_context, parse
from myjit.passes.pipeline import PIPELINES


def show(title, name, *inputs, places=False):
    graph = exported_graph(export_model(name, inputs, train=False), PIPELINES.get("cpu"))
    module = parse(import_graph(graph), new_context())
    print(f"== {title}\n{module.operation.get_asm(enable_debug_info=places)}")


def two(x):
    return x.exp(), x.sqrt()


def literal(x):
    return x + torch.tensor([1.0, 2.0])


def joined(x):
    return x.view(x.shape[0] * x.shape[1], 8) * 2


def sized(x):
    return x * x.shape[0]


# CHECK: == element types
# CHECK: func.func @main(%arg0: !torch.vtensor<[2],bf16>) -> !torch.vtensor<[2],bf16>
# CHECK-SAME: attributes {myjit.outputs = [0]}
show("element types", "torch:relu", "bf16[2]")
# CHECK: func.func @main(%arg0: !torch.vtensor<[2],si64>) -> !torch.vtensor<[2],si64>
show("integers", "torch:relu", "i64[2]")
# CHECK: func.func @main(%arg0: !torch.vtensor<[2],ui8>)
show("bytes", "torch:bitwise_not", "u8[2]")
# CHECK: func.func @main(%arg0: !torch.vtensor<[],f32>) -> !torch.vtensor<[],f32>
show("a number", "torch:exp", "f32")

# CHECK: == dynamic
# CHECK: (%arg0: !torch.vtensor<[?,8],f32>) -> !torch.vtensor<[?,8],f32>
show("dynamic", "torch:exp", "f32[n,8]")

# A view of two dynamic sizes is written so that torch-mlir gets it right.
# CHECK: == joined
# CHECK-NOT: torch.aten.view
# CHECK: torch.aten.flatten.using_ints %arg0
show("joined", f"{__name__}:joined", "f32[a,b,8]")

# CHECK: == several results
# CHECK: -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) attributes {myjit.outputs = [0, 1]}
# CHECK: torch.aten.exp
# CHECK: torch.aten.sqrt
show("several results", f"{__name__}:two", "f32[2]")

# CHECK: == a literal
# The tensors that a model holds are arguments, before its own.
# CHECK: (%arg0: !torch.vtensor<[2],f32>, %arg1: !torch.vtensor<[2],f32>)
# CHECK: %[[OWN:.*]] = torch.aten.clone %arg0
# CHECK: torch.aten.add.Tensor %arg1, %[[OWN]]
show("a literal", f"{__name__}:literal", "f32[2]")

# CHECK: == places
# CHECK: [[EXP:#loc[0-9]+]] = loc("fx:exp":0:0)
# CHECK: loc(callsite([[EXP]] at
show("places", f"{__name__}:two", "f32[2]", places=True)
