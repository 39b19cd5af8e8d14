# RUN: %python %s | filecheck %s
"""A tensor that lies in memory in another order crosses as it lies, and is permuted inside."""

import torch

from myjit.frontend.exported import import_graph
from myjit.mlir.context import new_context, parse


def f(x):
    return x.relu()


channels_last = torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last)


class Model(torch.nn.Module):
    def forward(self, x):
        return f(x)


program = torch.export.export(Model(), (channels_last,))
print(parse(import_graph(program.graph_module), new_context()))

# CHECK: func.func @main(%arg0: !torch.vtensor<[1,3,4,2],f32>) -> !torch.vtensor<[1,3,4,2],f32>
# CHECK: torch.aten.permute %arg0
# CHECK: torch.aten.relu
# CHECK: torch.aten.permute
