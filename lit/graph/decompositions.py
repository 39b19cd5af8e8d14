# RUN: %python %s | filecheck %s
"""The graph that each decomposition leaves, and what it declines."""

import torch
import torch._inductor.inductor_prims  # registers prims.fma
from torch.fx.experimental.proxy_tensor import make_fx

from myjit.frontend.decompose import decomposition_table
from myjit.passes.base import Decompositions

aten = torch.ops.aten
F = torch.nn.functional
ONES = torch.ones


def show(name, function, *inputs):
    table = decomposition_table(Decompositions(base="none", add=(name,)))
    graph = make_fx(function, decomposition_table=table, tracing_mode="fake")(*inputs)
    calls = [str(n.target) for n in graph.graph.nodes if n.op == "call_function"]
    print(f"{name}: {' '.join(calls)}")


# CHECK: gelu: {{.*}}aten.tanh.default
# CHECK-NEXT: gelu: {{.*}}aten.gelu.default
show("gelu", lambda x: F.gelu(x, approximate="tanh"), ONES(2))
show("gelu", F.gelu, ONES(2))

# CHECK-NEXT: halves: {{.*}}_to_copy{{.*}} aten.sigmoid.default {{.*}}_to_copy{{.*}}
# CHECK-NEXT: halves: aten.sigmoid.default
show("halves", torch.sigmoid, ONES(2, dtype=torch.float16))
show("halves", torch.sigmoid, ONES(2))

# CHECK-NEXT: softmax: aten.amax.default aten.sub.Tensor aten.exp.default aten.sum.dim_IntList aten.div.Tensor
# CHECK-NEXT: softmax: {{.*}}aten.log.default
# CHECK-NEXT: softmax: {{.*}}_to_copy{{.*}}aten.amax.default{{.*}}_to_copy
show("softmax", lambda x: x.softmax(-1), ONES(2, 3))
show("softmax", lambda x: x.log_softmax(-1), ONES(2, 3))
show("softmax", lambda x: x.softmax(-1), ONES(2, 3, dtype=torch.bfloat16))

# CHECK-NEXT: variance: aten.sum.dim_IntList aten.div.Tensor aten.sub.Tensor {{.*}}aten.sum.dim_IntList
show("variance", lambda x: x.var(-1), ONES(2, 3))

# CHECK-NEXT: nan-propagation: aten.gt.Tensor {{.*}}isnan{{.*}} aten.where.self
# CHECK-NEXT: nan-propagation: aten.maximum.default
show("nan-propagation", torch.maximum, ONES(2), ONES(2))
show("nan-propagation", torch.maximum, ONES(2, dtype=torch.int64), ONES(2, dtype=torch.int64))

# CHECK-NEXT: attention: {{.*}}aten.amax.default{{.*}}aten.exp.default{{.*}}aten.bmm.default
# CHECK-NOT: flash
# CHECK-NEXT: attention: {{.*}}aten.where.self
heads = ONES(1, 2, 3, 4)
show("attention", lambda q: F.scaled_dot_product_attention(q, q, q), heads)
show("attention", lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True), heads)

# CHECK-NEXT: fma: aten.mul.Tensor aten.add.Tensor
show("fma", torch.ops.prims.fma.default, ONES(2), ONES(2), ONES(2))
