# RUN: %python %s | filecheck %s
"""Each graph pass: what it rewrites, and what it leaves alone."""

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from myjit.passes.registered import GRAPH_PASSES

aten = torch.ops.aten
ONES = torch.ones


def show(name, function, *inputs, mode="fake"):
    graph = make_fx(function, tracing_mode=mode)(*inputs)
    GRAPH_PASSES.get(name)(graph)
    graph.graph.lint()
    calls = [n for n in graph.graph.nodes if n.op == "call_function"]
    texts = [f"{n.target}({', '.join(map(str, (*n.args, *n.kwargs.values())))})" for n in calls]
    print(f"{name}: {'; '.join(texts)}")


# CHECK: aliases: aten.div.Tensor(arg0_1, arg1_1)
# CHECK-NEXT: aliases: aten.sub.Tensor(x_1, y_1)
show("aliases", aten.true_divide.Tensor, ONES(2), ONES(2))
show("aliases", lambda x, y: x - y, ONES(2), ONES(2))

# CHECK-NEXT: whole-lists: {{.*}}(x_1, [2, 2], [], [1, 1], [1, 1]){{.*}}
# CHECK-NEXT: whole-lists: aten.sum.dim_IntList(x_1, [1])
show("whole-lists", lambda x: aten.max_pool2d_with_indices(x, [2], [], [1], [1])[0], ONES(1, 1, 4, 4))
show("whole-lists", lambda x: x.sum([1]), ONES(2, 2))

# A write of what is there; not of another part, nor into another one.
# CHECK-NEXT: own-writes: aten.slice.Tensor(x_1, 0, 1); aten.neg.default(x_1)
# CHECK-NEXT: own-writes: {{.*}}(x_1, 0, 0, 1); aten.slice_scatter.default(x_1, slice_1, 0, 1); {{.*}}
# CHECK-NEXT: own-writes: {{.*}}(y_1, 0, 1); aten.slice_scatter.default(x_1, slice_1, 0, 1); {{.*}}
show("own-writes", lambda x: aten.slice_scatter(x, aten.slice(x, 0, 1), 0, 1).neg(), ONES(2))
show("own-writes", lambda x: aten.slice_scatter(x, aten.slice(x, 0, 0, 1), 0, 1).neg(), ONES(2))
show("own-writes", lambda x, y: aten.slice_scatter(x, aten.slice(y, 0, 1), 0, 1).neg(), ONES(2), ONES(2))

# CHECK-NEXT: known-sizes: {{.*}}aten.mul.Tensor(x_1, 2)
# CHECK-NEXT: known-sizes: {{.*}}aten.mul.Tensor(x_1, sym_size_int)
show("known-sizes", lambda x: (x * x.shape[0], x.view(2, 1)), ONES(2), mode="symbolic")
show("known-sizes", lambda x: x * x.shape[0], ONES(6), mode="symbolic")

# CHECK-NEXT: number-tensors: {{.*}}aten.scalar_tensor.default(sym_size_int, {{.*}}(arange, scalar{{.*}}
# CHECK-NEXT: number-tensors: aten.floor_divide.default(x_1, y_1)
# CHECK-NEXT: number-tensors: aten.scalar_tensor.default(0.1, {{.*}}float64{{.*}}.Tensor(scalar{{.*}}, x_1)
# CHECK-NEXT: number-tensors: aten.sub.Tensor(0.1, x_1)
show("number-tensors", lambda x: torch.arange(6) // x.shape[1], ONES(2, 3), mode="symbolic")
show("number-tensors", lambda x, y: x // y, ONES(2), ONES(2))
show("number-tensors", lambda x: aten.sub.Tensor(0.1, x), ONES(2, dtype=torch.float64))
show("number-tensors", lambda x: aten.sub.Tensor(0.1, x), ONES(2))

# CHECK-NEXT: idle-expands: aten.neg.default(x_1)
# CHECK-NEXT: idle-expands: aten.expand.default(x_1, [3, 2]); aten.neg.default(expand)
show("idle-expands", lambda x: x.expand(-1, 2).neg(), ONES(1, 2))
show("idle-expands", lambda x: x.expand(3, 2).neg(), ONES(1, 2))

# Of few elements of each row, through arithmetic; not of many.
# CHECK-NEXT: early-gathers: aten.amax{{.*}}; aten.gather.default(x_1, 1, i_1); aten.sub.Tensor({{.*}}, amax)
# CHECK-NEXT: early-gathers: aten.mul.Tensor(x_1, 2); aten.gather.default(mul, 1, i_1)
# CHECK-NEXT: early-gathers: {{.*}}(x_1, 1, i_1); {{.*}}(y_1, [3, 8]); {{.*}}(expand{{.*}}, 1, i_1); {{.*}}
INDICES = torch.zeros(3, 1, dtype=torch.int64)
show("early-gathers", lambda x, i: (x - x.amax(1, True)).gather(1, i), ONES(3, 8), INDICES)
show("early-gathers", lambda x, i: (x * 2).gather(1, i), ONES(3, 3), INDICES)
show("early-gathers", lambda x, y, i: (x * y).gather(1, i), ONES(3, 8), ONES(8), INDICES)

# CHECK-NEXT: nan-tests: aten.ne.Tensor(x_1, x_1); aten.logical_not.default(ne{{.*}})
# CHECK-NEXT: nan-tests: aten.eq.Tensor(x_1, y_1)
# CHECK-NEXT: nan-tests: aten.eq.Tensor(x_1, x_1)
show("nan-tests", lambda x: x == x, ONES(2))  # noqa: PLR0124
show("nan-tests", lambda x, y: x == y, ONES(2), ONES(2))
show("nan-tests", lambda x: x == x, ONES(2, dtype=torch.int64))  # noqa: PLR0124

# CHECK-NEXT: narrow-casts: {{.*}}int32{{.*}}; {{.*}}
# CHECK-NEXT: narrow-casts: {{[^;]*$}}
show("narrow-casts", lambda x: torch.ops.prims.convert_element_type(x, torch.int8), ONES(2))
show("narrow-casts", lambda x: torch.ops.prims.convert_element_type(x, torch.int32), ONES(2))

# Of sizes that keep the sum within 32 bits.
# CHECK-NEXT: narrow-sums: {{.*}}int32{{.*}}; aten.sum.default({{.*}}int32{{.*}}; {{.*}}int64
# CHECK-NEXT: narrow-sums: {{.*}}int64{{.*}}(x_1{{.*}}int32{{.*}}dim_IntList({{.*}}int32{{.*}}
# CHECK-NEXT: narrow-sums: aten.sum.default(x_1)
show("narrow-sums", lambda x: x.sum(), ONES(2, dtype=torch.bool))
show("narrow-sums", lambda x: x.long().sum(1), ONES(3, 2, dtype=torch.int8))
show("narrow-sums", lambda x: x.sum(), ONES(2**16, dtype=torch.int16))

# CHECK-NEXT: wide-bytes: {{.*}}int32{{.*}}; {{.*}}aten.mul.Tensor{{.*}}; {{.*}}uint8
# CHECK-NEXT: wide-bytes: {{.*}}int32{{.*}}; {{.*}}int32{{.*}}; {{.*}}aten.mul.Tensor{{.*}}; {{.*}}int8
# CHECK-NEXT: wide-bytes: aten.mul.Tensor(x_1, y_1)
show("wide-bytes", lambda x: x * x, ONES(2, dtype=torch.uint8))
show("wide-bytes", lambda x, y: x * y, ONES(2, dtype=torch.int8), ONES(2, dtype=torch.int8))
show("wide-bytes", lambda x, y: x * y, ONES(2, dtype=torch.int16), ONES(2, dtype=torch.int16))

# CHECK-NEXT: fold-constants: aten.full.default([3], -1.0, {{.*}}); aten.add.Tensor(x_1, full_default)
# CHECK-NEXT: fold-constants: aten.clone.default(_folded_cat); aten.add.Tensor(x_1, clone_default)
# CHECK-NEXT: fold-constants: aten.arange{{.*}}aten.mul.Tensor(arange, -1)
# CHECK-NEXT: fold-constants: {{.*}}aten.rand{{.*}}aten.mul.Tensor(rand, -1)
show("fold-constants", lambda x: x + torch.ones(3) * -1, ONES(3))
show("fold-constants", lambda x: x + torch.cat([torch.ones(2), torch.zeros(1)]), ONES(3))
show("fold-constants", lambda x: x + torch.arange(3) * -1, ONES(3))
show("fold-constants", lambda x: x + torch.rand(3) * -1, ONES(3))

# CHECK-NEXT: number-devices: aten.full.default([], 2.0, {{.*}}meta{{.*}}; aten.copy.default(x_1, full_{{.*}})
# CHECK-NEXT: number-devices: {{.*}}aten.full.default([], 2.0, cpu, {{.*}}; aten.mul.Tensor(full, y_1)
# CHECK-NEXT: number-devices: aten.full.default([], 2.0, cpu, {{.*}}; aten._to_copy.default(full, {{.*}}meta)
ON_META = torch.ones(2, device="meta")
show("number-devices", lambda x: torch.ops.aten.copy(x, torch.full((), 2.0)), ON_META)
show("number-devices", lambda x, y: (x * 1, torch.full((), 2.0) * y), ON_META, ONES(2))
show("number-devices", lambda x: torch.full((), 2.0).to(x.device), ON_META)

# CHECK-NEXT: common-dtype: aten.eq.Scalar(x_1, -1)
# CHECK-NEXT: common-dtype: {{.*}}int8); aten.maximum.default(arg0_1, {{.*}})
# CHECK-NEXT: common-dtype: aten.mul.Tensor(x_1, 300.0)
# CHECK-NEXT: common-dtype: aten.lt.Scalar(x_1, 0.10000000149011612)
show("common-dtype", lambda x: x == 255, ONES(2, dtype=torch.int8))
show("common-dtype", torch.maximum, ONES(2, dtype=torch.int8), ONES((), dtype=torch.int64))
show("common-dtype", lambda x: x * 300.0, ONES(2, dtype=torch.int8))
show("common-dtype", lambda x: x < 0.1, ONES(2))

# CHECK-NEXT: shifts: aten.__lshift__.Scalar(x_1, 31)
# CHECK-NEXT: shifts: aten.full_like.default(x_1, 32{{.*}}aten.where.self{{.*}}
show("shifts", lambda x: x << 31, ONES(2, dtype=torch.int32))
show("shifts", lambda x: x << 32, ONES(2, dtype=torch.int32))

# CHECK-NEXT: fold-scalars: aten.mul.Tensor(x_1, 6.0)
# CHECK-NEXT: fold-scalars: aten.mul.Tensor(x_1, 0.1); aten.mul.Tensor(mul, 3)
# CHECK-NEXT: fold-scalars: aten.sin.default(x_1); aten.cos.default(sin)
show("fold-scalars", lambda x: x * 2 * 3, ONES(2))
show("fold-scalars", lambda x: x * 0.1 * 3, ONES(2))
show("fold-scalars", lambda x: (x.sin() * 1).cos(), ONES(2))

# CHECK-NEXT: remove-dead-code: aten.sin.default(x_1)
# CHECK-NEXT: remove-dead-code: {{.*}}aten.rand{{.*}}aten.sin.default(x_1)
show("remove-dead-code", lambda x: (x.cos().exp(), x.sin())[1], ONES(2))
show("remove-dead-code", lambda x: (torch.rand(2), x.sin())[1], ONES(2))

# CHECK-NEXT: positive-dimensions: aten.gather.default(x_1, 1, i_1)
# CHECK-NEXT: positive-dimensions: aten.sum.dim_IntList(x_1, [-1])
INDEX = torch.zeros(2, 2, dtype=torch.int64)
show("positive-dimensions", lambda x, i: x.gather(-1, i), ONES(2, 2), INDEX)
show("positive-dimensions", lambda x: x.sum(-1), ONES(2, 2))

# CHECK-NEXT: one-dimension: {{.*}}view{{.*}}aten.amax.default
# CHECK-NEXT: one-dimension: aten.amax.default(x_1, [0])
show("one-dimension", lambda x: x.amax(0), ONES(()))
show("one-dimension", lambda x: x.amax(0), ONES(2))

# CHECK-NEXT: empty-tensors: aten.full.default([2, 2], 0
# CHECK-NEXT: empty-tensors: aten.mm.default(arg0_1, arg1_1)
show("empty-tensors", torch.mm, ONES(2, 0), ONES(0, 2))
# CHECK-NEXT: empty-tensors: aten.clone.default(arg0_1)
show("empty-tensors", torch.mm, ONES(2, 3), ONES(3, 2))
show("empty-tensors", aten.slice_scatter.default, ONES(2), ONES(0))
