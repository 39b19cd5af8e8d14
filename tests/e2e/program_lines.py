"""Lines of random programs, with names to fill in."""

from __future__ import annotations

PARTS = (
    *("[1:]", "[:-1]", "[..., ::2]", "[..., 1:]", "[:, -1]", "[0]", "[..., :2]", "[:, 1::2]", "[-2:]"),
    *("[..., None, :]", "[:, None]", "[..., 0]"),
)

# In a line, {x} and {y} are numbers, {f} and {g} floats, {i} long integers, {b} truth values, {t} and {u} of
# any kind; {d} and {e} are dimensions of the first of them, {s} a part of a tensor, {k} a small count, {c} a
# constant, {o} a count of channels, {m} a stride. Lines that need more than one expression call their result
# OUT.

VIEWS = (
    *(("{x}{s}",) * 3),
    *(("{x}.transpose({d}, {e})",) * 2),
    *("{x}.mT", "{x}.flip({d})", "{x}.roll({k}, {d})", "{x}.flatten()", "{x}.flatten({d})"),
    *("{x}.flatten(0, 1)", "{x}.unsqueeze({d})", "{x}.reshape(-1, {x}.shape[{d}])"),
    *("{x}.reshape({x}.shape[0], -1)", "{x}.unfold({d}, 2, {k})", "{x}.diagonal()", "torch.diag_embed({x})"),
    *("F.pad({x}, (1, {k}))", "F.pad({x}, (0, 1, {k}, 0), value={c})", "F.pad({x}, (-1, {k}))"),
    *("{x}.repeat_interleave({k}, {d})", "torch.stack([{x}, {x} * 2], {d})", "{x}.expand(2, *{x}.shape)"),
    *(
        "{x}.chunk(2, {d})[-1]",
        "{x}.split(2, {d})[0]",
        "{x}.tril()",
        "{x}.triu({k})",
        "{x}.movedim({d}, {e})",
    ),
    *("{x}.mT.flatten(0, 1)", "{x}.transpose({d}, {e}).unflatten({d}, (-1, 1))"),
    *("{x}.repeat(2, *[1] * {x}.ndim)", "{x}.mT.contiguous()", "{x}.transpose({d}, {e}).flatten()"),
    *("{x}.transpose({d}, {e}).reshape({x}.shape)", "{x}.view(-1, 2)", "{x}.narrow({d}, 1, 1)"),
    *("{x}.unflatten({d}, (2, -1))", "torch.cat([{x}, {y}], {d})", "torch.stack([{x}, {y}], {d})"),
    *("{x}.expand_as({y})", "torch.cat([{x}.flatten(), {y}.flatten()])", "{x} + {y}[..., :1]"),
    *("torch.broadcast_tensors({x}, {y})[0]", "{x}[{x}.shape[0] // 2:]", "{x}.squeeze()"),
    *(
        "{x}.permute(tuple(range({x}.ndim))[::-1])",
        "{x}.swapaxes({d}, {e})[1:]",
        "{x}.fliplr()",
        "{x}.rot90()",
    ),
    *("torch.hstack([{x}, {y}])", "torch.vstack([{x}, {x}])", "{x}.unbind({d})[-1]", "{x}.tile(2)"),
    *("{x}.view_as({y})", "{x}[None].repeat({k}, *[1] * {x}.ndim)"),
    *("{x}.roll((1, {k}), ({d}, {e}))", "F.pad({x}, (2, 1), value={c})"),
    *(
        "torch.meshgrid({x}.flatten()[:4], {y}.flatten()[:5], indexing='ij')[1]",
        "{x}.diagonal(1)",
        "{x}.adjoint()",
    ),
)
WRITES = (
    *("OUT = {x}.clone(); OUT{s} = {c}", "OUT = {x}.clone(); OUT{s} += 1", "OUT = {x}.clone(); OUT{s} *= 2"),
    *("OUT = {x} * 1; OUT.select({d}, 0).add_({c})", "OUT = torch.zeros_like({x}); OUT{s} = {x}{s}"),
    "OUT = {x} + 0; OUT.transpose({d}, {e})[0] = OUT.transpose({d}, {e})[-1] * 2",
    *("OUT = {x}.clone(); OUT{s} = {y}{s}", "OUT = {x}.clone(); OUT{s} += {y}"),
    *("{x}.select_scatter({y}, {d}, 0)", "{x}.slice_scatter({y}, {d}, 1)"),
    *("{x}.slice_scatter({x} * 2, {d}, 0)", "OUT = {x}.clone(); OUT[:, {k}:].fill_({c})"),
    *("OUT = {x}.clone(); OUT.diagonal().fill_({c})", "{x}.diagonal_scatter({x}.diagonal() + 1)"),
    *("OUT = {x}.clone(); OUT[{x} > 1] = {c}", "OUT = {x}.clone(); OUT.masked_fill_({x} < {c}, 0)"),
    *("{x}.index_fill({d}, torch.zeros(1, dtype=torch.long, device={x}.device), {c})",),
    "OUT = {x}.clone(); OUT[1:] = OUT[:-1].clone()",
)
# Parts of one tensor, changed or not, put together anew.
HALVES = (
    *("torch.cat([-{x}.chunk(2, {d})[0], {x}.chunk(2, {d})[-1]], {d})", "torch.cat([{x}{s}, -{x}{s}], {d})"),
    *("torch.cat([-{x}.chunk(2, {d})[-1], {x}.chunk(2, {d})[0]], {d})", "torch.cat([-{x}{s}, {x}{s}], {d})"),
    *(
        "torch.cat([-{x}[..., 1::2], {x}[..., ::2]], -1)",
        "torch.cat([{x}[..., :2].relu(), {x}[..., 1:]], -1)",
    ),
    *("torch.stack([-{x}[..., 1::2], {x}[..., ::2]], -1).flatten(-2)", "torch.cat([-{x}.mT, {x}], -1)"),
    *(
        "torch.cat([torch.cat([{x}.relu(), {y}], {d}), {x} * 2], {d})",
        "torch.cat([{x}{s}.exp(), {x}{s}], -1)",
    ),
    "torch.cat([torch.cat([{x}.flatten().relu(), {y}.flatten()])[1:], {x}.flatten()[:2] * 2])",
    "OUT = torch.cat([{x}[:, :2] * 2, {x}[:, 2:]], 1); OUT = torch.cat([OUT[:, 1:3], OUT[:, :1].neg()], 1)",
    "OUT = {x}.clone(); OUT[..., ::2], OUT[..., 1::2] = -{x}[..., 1::2], {x}[..., ::2]",
    "OUT = torch.empty_like({x}); OUT[:, :1], OUT[:, 1:] = -{x}[:, -1:], {x}[:, :-1]",
)
OUTER = (
    *("{x}[:, None] + {x}[None]", "{x}[..., None] - {x}[..., None, :]"),
    *("torch.einsum('...i,...j->...ij', {x}, {x})", "torch.outer({x}.flatten()[:9], {x}.flatten()[:5])"),
    *("{x}.sum({d}).unsqueeze({d}) * {x}", "{x} + {x}.mT", "{x} * {x}.transpose({d}, {e})"),
    *("{x}[..., None] * {y}[..., None, :]", "{x}[:, None] * {y}", "{x}.unsqueeze({d}) + {y}.unsqueeze({e})"),
)
PRODUCTS = (
    *("{f} @ {g}", "{f} @ {g}.mT", "{f}.mT @ {g}", "F.linear({f}, {g})", "{f} @ {f}.mT", "{f}.mT @ {f}"),
    *("torch.einsum('...ij,...kj->...ik', {f}, {g})", "torch.einsum('bij,bj->bi', {f}, {g})"),
    *("torch.einsum('bij,bik->kbj', {f}, {g})", "torch.einsum('...ij,...kj->...ki', {f}, {g})"),
    *("torch.einsum('bij,bik->bjk', {f}, {g})", "{f} @ torch.ones({f}.shape[-1], 3, device={f}.device)"),
    "{f} @ {f}.flatten()[:{f}.shape[-1]]",
)
SUMS = (
    *("{x}.sum({d})", "{x}.sum({d})", "{x}.sum({d}, keepdim=True)", "{x}.sum()", "{x}.amax({d})"),
    *("{x}.amax({d}, keepdim=True)", "{x}.amin({d})", "{x} - {x}.amax({d}, keepdim=True)"),
    *("{x} * {x}.sum({d}, keepdim=True).remainder(5)", "{x}.cumsum({d})", "{x}.sum(({d}, {e}))"),
    *("{x}.sum((0, 1))", "{x}.sum((0, -1))", "{x}.max({d})[0]", "{x}.min({d}, keepdim=True)[0]"),
    *(
        "{x}.sign().prod({d})",
        "{x}.count_nonzero({d})",
        "{x}.diff(dim={d})",
    ),
    *("{x}.float().norm(1, {d})", "{x}.float().norm(float('inf'), {d})", "{x}.flip({d}).cumsum({d})"),
    *("{x}.double().sum({d})", "{x}.nansum({d})", "{x}.cumsum({d}).flip({d})"),
)
TWO_NUMBERS = (
    *("{x} + {y}", "{x} + {y}", "{x} - {y}", "{x} * {y}", "torch.maximum({x}, {y})"),
    *("torch.minimum({x}, {y})", "torch.where({x} > {y}, {x}, {y})", "torch.where({x} > 0, {y}, {x})"),
    *(
        "torch.add({x}, {y}, alpha={k})",
        "torch.lerp({f}, {g}, 2.0)",
        "torch.addcmul({f}, {f}, {g}, value={k})",
    ),
    *("{x}.sub({y}).abs()", "torch.clamp({x}, max={y})", "torch.fmax({x}, {y})", "torch.rsub({x}, {y})"),
)
ONE_NUMBER = (
    *("-{x}", "{x}.abs()", "{x}.relu()", "{x}.square()", "{x} * 2 + 1", "{x}.clamp(-3, 5)", "{x}.sign()"),
    *("{x}.remainder(5)", "({x} / 2).floor()", "{x}.long() // 3", "{x}.long()", "{x}.int()", "{x}.float()"),
    *("{x} > 0", "{x} != {c}", "3 - {x}", "{x}.trunc()", "({x} / 2).ceil()", "({x} / 4).round()"),
    *("{x}.long() & 3", "{x}.long() | 4", "{x}.long() ^ {k}", "{x}.long() << {k}", "{x}.long() >> 1"),
    *("{x}.long().bitwise_not()", "{x}.to(torch.int16)", "{x}.to(torch.float16)"),
    *("{x}.double() * 2", "{x}.fmod(4)", "torch.div({x}, 3, rounding_mode='trunc')", "{x}.bool()"),
    *(
        "F.relu6({x})",
        "F.hardtanh({x}, -2, 3)",
        "F.threshold({x}, 1, {c})",
        "{x}.hardshrink(2)",
    ),
)
TRUTH = (
    *("{x} > {y}", "{x} == {y}", "({x} > 0) & ({y} < 1)", "({x} > {y}) ^ ({y} > 0)", "~{b}", "{b}.any({d})"),
    *("{b}.all({d})", "{b}.sum({d})", "{b}.float()", "{b}{s}", "{b}.long().cumsum({d})", "{b}.mT"),
    *("{x}.masked_fill({b}, {c})", "torch.where({b}, {x}, -{x})", "torch.where({b}, {x}, 0)", "{x} * {b}"),
    *("{b}.logical_xor({x} > 0)", "{b}.any()", "{b}.float().argmax({d})", "{b}.sum()", "{b}.cumsum({d}) * 2"),
    *(
        "torch.logical_not({x})",
        "{x} >= {y}",
        "({x} > 0) | {b}",
        "torch.isclose({x}, {y})",
    ),
)
PLACES = (
    *("{x}.argmax({d})", "{x}.argmin({d}, keepdim=True)", "{x}.max({d})[1]", "{x}.argmax()"),
    *("torch.arange({x}.shape[0], device={x}.device) * 2", "{x}[{i}.remainder({x}.shape[0])]"),
    *("{x}[:, {i}.remainder({x}.shape[1])]", "{x}.gather({d}, {i}.remainder({x}.shape[{d}]))"),
    "{x}.index_select({d}, {i}.flatten().remainder({x}.shape[{d}]))",
    "F.embedding({i}.remainder({x}.shape[0]), {x})",
    "torch.take_along_dim({x}, {i}.remainder({x}.shape[{d}]), {d})",
    "{x}.scatter({d}, {i}.remainder({x}.shape[{d}]), {c})",
    "{x}.scatter_add({d}, {i}.remainder({x}.shape[{d}]), {x})",
    "{x}.index_add({d}, {i}.flatten()[:1].remainder({x}.shape[{d}]), {x}.narrow({d}, 0, 1))",
    "{i}.new_zeros(6).index_put(({i}.remainder(6),), {i}.new_ones(()), accumulate=True)",
    *("{x}[..., {i}.flatten()[:3].remainder({x}.shape[-1])]", "{x}.argmax({d}, keepdim=True)"),
    "{x}[{i}.remainder({x}.shape[0]), {i}.remainder({x}.shape[1])]",
    "{x}.index_put(({i} % {x}.shape[0], {i} % {x}.shape[1]), {x}.new_ones(()), accumulate=True)",
    "{x}.index_copy({d}, {i}.flatten()[:1].remainder({x}.shape[{d}]), {x}.narrow({d}, 0, 1) * 2)",
    "{x}.scatter_reduce({d}, {i}.remainder({x}.shape[{d}]), {x}, 'amax')",
    *("{x}.scatter({d}, {x}.argmax({d}, keepdim=True), {c})", "F.one_hot({i}.remainder(4), 4)"),
    *(
        "{x}.gather({d}, {x}.argmin({d}, keepdim=True))",
        "torch.arange({x}.shape[-1], device={x}.device) + {x}",
    ),
    *("torch.tril_indices(3, 3, device={x}.device) + {k}", "{x}.take({i}.remainder({x}.numel()))"),
    "{x}[:, {i}.flatten()[:2] % {x}.shape[1], {i}.flatten()[:2] % {x}.shape[2]]",
    "{x}[{i}.flatten()[:2] % {x}.shape[0], :, {i}.flatten()[:2] % {x}.shape[-1]]",
)
WINDOWS = (
    *("F.max_pool1d({f}[None], 2)", "F.avg_pool1d({f}, 2) * 2", "F.avg_pool2d({f}, 2) * 4"),
    "F.max_pool2d({f}.flatten()[None, None, None], (1, 2), 1)",
    "F.conv1d({f}, {f}.new_ones(2, {f}.shape[-2], 2))",
    "F.conv1d({f}[:, None].flatten(0, -2)[:, None], {f}.new_ones(2, 1, 2))",
    "F.conv2d({f}, {f}.new_ones(3, {f}.shape[-3], 2, 2), padding=1)",
    "F.conv2d({f}, {f}.new_ones(2 * {f}.shape[-3], 1, 3, 3), stride=2, padding=1, groups={f}.shape[-3])",
    *(
        "F.conv_transpose2d({f}, {f}.new_ones({f}.shape[-3], 2, 2, 2), stride=2)",
        "F.interpolate({f}, scale_factor=2)",
    ),
    "F.lp_pool1d({f}, 1, 2)",
    *("F.adaptive_max_pool1d({f}, 2)", "F.adaptive_max_pool2d({f}, (3, 2), return_indices=True)[1]"),
    *("F.max_pool3d({f}[None], 2, 1)", "F.adaptive_max_pool2d({f}, (2, 1))"),
    *("F.conv1d({f}, {f}.new_ones(3, {f}.shape[-2], 3), padding=1, dilation=2)", "F.pixel_shuffle({f}, 2)"),
    *("F.conv_transpose1d({f}, {f}.new_ones({f}.shape[-2], 2, 3), stride=2, padding=1)",),
    *(
        "F.unfold({f}[None, None].flatten(0, -3)[:, None], 2)",
        "F.pixel_unshuffle({f}, 2)",
        "F.pad({f}, (1, 1), 'reflect')",
    ),
    *(
        "F.pad({f}, (1, 1), 'circular')",
        "F.fold(F.unfold({f}, 2), {f}.shape[-2:], 2)",
    ),
)
FUNCTIONS = (
    *("{f}.exp().clamp(max=9)", "{f}.tanh()", "{f}.sigmoid()", "F.gelu({f})", "F.silu({f})", "{f}.sin()"),
    *("{f}.cos()", "{f}.square()", "({f}.abs() + 1).log()", "({f}.abs() + 1).sqrt()", "{f}.erf()"),
    *(
        "({f}.square() + 1).rsqrt()",
        "{f}.softmax({d})",
        "{f}.log_softmax({d})",
        "{f}.mean({d})",
        "{f}.var({d})",
    ),
    *("{f}.std({d}, keepdim=True)", "{f}.logsumexp({d})", "F.normalize({f}, dim={d})", "{f}.norm(dim={d})"),
    "F.layer_norm({f} + {f}.shape[0] * torch.arange({f}.shape[-1], device={f}.device), {f}.shape[-1:])",
    *("{f} / (1 + {f}.abs().sum({d}, keepdim=True))", "{f}.mean(({d}, {e}), keepdim=True)"),
    *("F.rms_norm({f}, {f}.shape[-1:])", "{f} - {f}.mean({d}, keepdim=True)", "F.softplus({f})"),
    *("F.scaled_dot_product_attention({f}, {f}, {f})", "F.cosine_similarity({f}[:, None], {f}[None], -1)"),
    *("{f}.cumsum({d}) / 4", "{f} * 0.5 + 1", "{f}.amax({d})", "F.group_norm({f}, 1)"),
    "F.batch_norm({f}, {f}.new_zeros({f}.shape[1]), {f}.new_ones({f}.shape[1]))",
    *("F.elu({f})", "F.leaky_relu({f})", "F.hardswish({f})", "F.mish({f})", "F.softsign({f})", "{f}.atan()"),
    *(
        "{f}.sinh().clamp(-9, 9)",
        "({f}.square() + 1).reciprocal()",
        "{f}.expm1().clamp(max=9)",
        "{f}.abs().log1p()",
    ),
    *(
        "torch.atan2({f}, {f}.square() + 1)",
        "torch.hypot({f}, {g})",
        "torch.logaddexp({f}, {g})",
        "{f}.logit(0.1)",
    ),
    *("F.softmin({f}, {d})", "F.instance_norm({f})", "F.smooth_l1_loss({f}, {g}, reduction='none')"),
    *("F.pairwise_distance({f}, {g} + 1)", "torch.cdist({f}, {g})", "{f}.var(({d}, {e}))", "F.glu({f}, {d})"),
    *(
        "F.mse_loss({f}, {g}, reduction='none')",
        "F.scaled_dot_product_attention({f}, {f}, {f}, is_causal=True)",
    ),
    *("F.bilinear({f}, {f}, {f}.new_ones(2, {f}.shape[-1], {f}.shape[-1]))", "{f}.softmax({d}).log()"),
    *("torch.addmm({f}, {f}, {g})", "torch.baddbmm({f}, {f}, {g})"),
)
MIXED = (
    *("({x}.long() * 50).to(torch.uint8)", "({x}.long() * 50).to(torch.int8)", "({x}.long() * 9).short()"),
    *(
        "{t} < {u}",
        "{t} <= {u}",
        "{t} >= {u}",
        "{t} != {u}",
        "{t} > -3",
        "{t} <= {c}",
        "{t} == 255",
        "{t} < 0.5",
    ),
    *(
        "{t} + {u}",
        "{t} * {u}",
        "{t} - {u}",
        "{t} + True",
        "2 - {t}",
        "{t} * -3",
        "torch.add({t}, {u}, alpha={k})",
    ),
    *("torch.cat([{t}, {u}], {d})", "torch.stack([{t}, {u}], {d})", "torch.where({b}, {t}, {u})"),
    *("torch.where({t} > {u}, {t}, {u})", "torch.maximum({t}, {u})", "torch.minimum({t}, {u})"),
    *("{t} & {u}", "{t} | {u}", "{t} ^ {u}", "~{t}", "{i} << {k}", "torch.clamp({t}, max={u})"),
    *("torch.logical_and({t}, {u})", "torch.logical_xor({t}, {u})", "torch.logical_not({t})", "{t}.bool()"),
    *("{t}.sum({d}, dtype=torch.int32)", "{t}.sum({d}, dtype=torch.bool)", "{t}.sum()", "{t}.amax({d})"),
    *("{t}.cumsum({d})", "{t}.prod({d}, dtype=torch.bool)", "{t}.any({d})", "{t}.all({d})", "{t}.sign()"),
    *("{t} // 3", "{t} % 5", "torch.div({t}, -3, rounding_mode='trunc')", "{t}.fmod(4)", "{t}.abs()"),
    *("{t}.float()", "{t}.long()", "{t}.double() / 2", "{t}.int() - 1", "{t}.masked_fill({b}, {c})"),
    *(
        "{t}.select_scatter({u}, {d}, 0)",
        "OUT = {t}.clone(); OUT{s} = {u}{s}",
        "OUT = {t}.clone(); OUT += {u}",
    ),
    *("{t}.clamp(-3, 100)", "{t}.argmax({d})", "{t}.count_nonzero({d})", "F.pad({t}, (1, {k}), value=1)"),
    *(
        "{t}.new_full((3,), 2) * {t}.flatten()[0]",
        "{t}{s}",
        "{t}.flip({d})",
        "{t}.mT",
    ),
)
# Kernels are made of what numbers there are; a name with its sign keeps sums small.
CONVOLUTIONS = (
    *(
        f"OUT = {{g}}.sign().flatten().repeat(99)[: {{o}} * {{f}}.shape[-2] * {{k}}].view({{o}}, -1, {{k}}); "
        f"OUT = F.conv1d({{f}}, OUT, {options})"
        for options in ("stride={m}", "padding={k}", "dilation={m}, padding=2", "padding='same'")
    ),
    *(
        f"OUT = {{g}}.sign().flatten().repeat(99)[: {{o}} * {{f}}.shape[0] * 3 * {{k}}]; "
        f"OUT = OUT.view({{o}}, -1, 3, {{k}}); OUT = F.conv2d({image}, OUT, {options})"
        for image in (
            "{f}.reshape({f}.shape[0], -1, {f}.shape[-1])",
            "{f}.reshape(1, {f}.shape[0], -1, {f}.shape[-1]).contiguous(memory_format=torch.channels_last)",
            "torch.stack([{f}.reshape({f}.shape[0], -1, {f}.shape[-1])] * 2)",
        )
        for options in ("padding=1", "stride=({m}, 1), padding=({m}, 2)", "dilation=({m}, 1), padding=2")
    ),
    "OUT = {g}.sign().flatten().repeat(99)[: {o} * {f}.shape[-2] * 3].view({f}.shape[-2], {o}, 3); "
    "OUT = F.conv_transpose1d({f}, OUT, stride={m}, padding=1)",
    "OUT = {g}.sign().flatten().repeat(99)[: {f}.shape[-2] * {k}].view(-1, 1, {k}); "
    "OUT = F.conv1d({f}, OUT, padding=1, groups={f}.shape[-2])",
    *("{f} + {f}.mean(-1, keepdim=True).sign()", "{f}.relu()", "{f} * 2 + 1", "{f}.mT.contiguous() + 1"),
    *(
        "F.max_pool2d({f}, 2, 1)",
        "F.interpolate({f}, scale_factor=2)",
        "{f} + torch.arange({f}.shape[-1], device={f}.device)",
    ),
)
# What changes nothing the second time, or is undone: results are equal tensors, or equal but for their shape.
AGAIN = (
    *("{x}.tril()", "{x}.triu()", "torch.where({b}, {x}, 0)", "{x}.masked_fill({b}, {c})", "{x}.relu()"),
    *("{x}.clamp(-2, 5)", "{x}.round()", "{x}.abs()", "-(-{x})", "{x}.mT.tril().mT", "{x}.mT.abs().mT"),
    *("{x}.float().half().float()", "{x}.bfloat16().float()", "{x}.bfloat16()", "{x}.float()"),
    *("{x}.flatten().abs().view({x}.shape)", "{x}.reshape(-1, 2).relu().reshape({x}.shape)", "{x} + {y}"),
    *("torch.maximum({x}, {y})", "{x} + {x}.sum({d}, keepdim=True).sign()", "{x} * 3 + 1", "{x} > 0"),
    *("{x}.transpose({d}, {e}).relu()", "{x}.flip({d}).flip({d})", "{x} + {x}.mT", "{x}.sum({d}).sign()"),
    *("OUT = {x} * 1; OUT.tril_()", "OUT = {x} + 0; OUT[:, 0] = {c}", "OUT = {x}.clone(); OUT.mT[1:] = 0"),
    *("{x}.amax({d}, keepdim=True) - {x}", "{x}.roll(1, {d}).roll(-1, {d})", "torch.cat([{x}, {x}], {d})"),
)
SMALL_SUMS = ("{x}.sum({d}) / 3", "{x}.sum({d}, keepdim=True) / 4")
QUOTIENTS = ("{x} + {y}", "{x} - {y}", "{x} * {y}", "torch.maximum({x}, {y})", "{x} / (1 + {y}.abs())")

WHOLE = (
    *(
        VIEWS * 2
        + HALVES
        + WRITES
        + SUMS * 3
        + OUTER * 2
        + PRODUCTS
        + TWO_NUMBERS * 3
        + ONE_NUMBER * 2
        + TRUTH * 2
    ),
    *(PLACES * 2 + WINDOWS),
)
SMOOTH = VIEWS + HALVES + WRITES + SMALL_SUMS * 2 + OUTER + PRODUCTS + FUNCTIONS * 2 + QUOTIENTS * 4
