"""torch's own decompositions of ops that torch-mlir's table leaves whole and torch-mlir does not lower."""

from __future__ import annotations

import torch
from torch._decomp import get_decompositions
from torch._inductor import decomposition as inductor

aten = torch.ops.aten

_OPS = (
    aten._addmm_activation.default,
    aten._batch_norm_no_update.default,
    aten._batch_norm_with_update_functional.default,
    aten.addmv.default,
    aten.all.dims,
    aten.as_strided_copy.default,
    aten.batch_norm_backward.default,
    aten.dist.default,
    aten.max_pool2d_with_indices_backward.default,
    aten.narrow_copy.default,
    aten.norm.ScalarOpt_dim_dtype,
    aten.norm.ScalarOpt_dtype,
    aten.permute_copy.default,
    aten.unbind_copy.int,
    aten.upsample_bicubic2d.default,
    aten.upsample_trilinear3d.default,
    aten.view_copy.default,
)

#: Inductor has some that torch's own tables lack.
_INDUCTOR = (aten.angle.default, aten.index_reduce.default, aten.masked_scatter.default, aten.put.default)

DECOMPOSITIONS = {
    **get_decompositions(_OPS),
    **{op: inductor.decompositions[op] for op in _INDUCTOR},
}
