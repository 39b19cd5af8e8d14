"""Attention without the scores in memory: a block of queries passes over the keys.

This is FlashAttention-2 (Dao, 2023). Sizes, strides and offsets are constants of each compile. Scores and
sums are in f32; the weights are rounded to the values' type before they are multiplied, as torch's are.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import triton
import triton.language as tl

from myjit.kernels.base import Kernel, Numbers, Plan, element, padded
from myjit.launches import float_of


@triton.jit
def _scores(
    query, k, mask, rows, columns,
    KN: tl.constexpr, DEPTH: tl.constexpr, BLOCK_D: tl.constexpr,
    ROWS: tl.constexpr, KEYS: tl.constexpr, MM: tl.constexpr, MN: tl.constexpr,
    MASK: tl.constexpr, CAUSAL: tl.constexpr, WHOLE: tl.constexpr,
    SCALE: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Return the scores of some rows for some columns, times log2(e), masked."""
    depth = tl.arange(0, BLOCK_D)
    at = k + columns[None, :] * KN + depth[:, None]
    if WHOLE and DEPTH == BLOCK_D:
        key = tl.load(at)
    elif WHOLE:
        key = tl.load(at, mask=depth[:, None] < DEPTH, other=0.0)
    else:
        key = tl.load(at, mask=(depth[:, None] < DEPTH) & (columns[None, :] < KEYS), other=0.0)
    scores = tl.dot(query, key, input_precision=PRECISION)
    if MASK == 2:  # numbers: large negative ones overflow when they are multiplied
        inside = (rows[:, None] < ROWS) & (columns[None, :] < KEYS)
        added = tl.load(mask + rows[:, None] * MM + columns[None, :] * MN, mask=inside, other=0.0)
        scores = scores * SCALE + added.to(tl.float32)
    else:
        scores *= SCALE * 1.4426950408889634
    if MASK == 1:
        inside = (rows[:, None] < ROWS) & (columns[None, :] < KEYS)
        shown = tl.load(mask + rows[:, None] * MM + columns[None, :] * MN, mask=inside, other=0)
        scores = tl.where(shown != 0, scores, float("-inf"))
    if CAUSAL and not WHOLE:
        scores = tl.where(columns[None, :] <= rows[:, None], scores, float("-inf"))
    if not WHOLE:
        scores = tl.where(columns[None, :] < KEYS, scores, float("-inf"))
    return scores


@triton.jit
def _pass_over(
    total, most, result, query, k, v, mask, rows, begin, end,
    KN: tl.constexpr, VN: tl.constexpr, DEPTH: tl.constexpr, BLOCK_D: tl.constexpr,
    WIDTH: tl.constexpr, BLOCK_W: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
    MM: tl.constexpr, MN: tl.constexpr, MASK: tl.constexpr, CAUSAL: tl.constexpr,
    WHOLE: tl.constexpr, SCALE: tl.constexpr, BLOCK_N: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Take the keys from `begin` to `end` into a block's sums."""
    width = tl.arange(0, BLOCK_W)
    for start in range(begin, end, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        scores = _scores(
            query, k, mask, rows, columns, KN, DEPTH, BLOCK_D, ROWS, KEYS, MM, MN,
            MASK, CAUSAL, WHOLE, SCALE, PRECISION,
        )  # fmt: skip
        now = tl.maximum(most, tl.max(scores, 1))
        base = tl.where(now == float("-inf"), 0.0, now)  # nothing seen yet
        unit: tl.constexpr = 1.4426950408889634 if MASK == 2 else 1.0
        weights = tl.exp2((scores - base[:, None]) * unit)
        shrink = tl.exp2((most - base) * unit)
        total = total * shrink + tl.sum(weights, 1)
        at = v + columns[:, None] * VN + width[None, :]
        if WHOLE and WIDTH == BLOCK_W:
            value = tl.load(at)
        else:
            value = tl.load(at, mask=(columns[:, None] < KEYS) & (width[None, :] < WIDTH), other=0.0)
        result = tl.dot(weights.to(value.dtype), value, result * shrink[:, None], input_precision=PRECISION)
        most = now
    return total, most, result


@triton.jit
def attention(
    q, k, v, mask, out,
    HEADS: tl.constexpr, SHARED: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
    DEPTH: tl.constexpr, BLOCK_D: tl.constexpr, WIDTH: tl.constexpr, BLOCK_W: tl.constexpr,
    Q0: tl.constexpr, QB: tl.constexpr, QH: tl.constexpr, QM: tl.constexpr,
    K0: tl.constexpr, KB: tl.constexpr, KH: tl.constexpr, KN: tl.constexpr,
    V0: tl.constexpr, VB: tl.constexpr, VH: tl.constexpr, VN: tl.constexpr,
    M0: tl.constexpr, MB: tl.constexpr, MH: tl.constexpr, MM: tl.constexpr, MN: tl.constexpr,
    OB: tl.constexpr, OH: tl.constexpr, OM: tl.constexpr,
    MASK: tl.constexpr, CAUSAL: tl.constexpr, ZEROS: tl.constexpr, SCALE: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """One block of rows of one head. MASK: 0 none, 1 booleans (1: is seen), 2 numbers that are added."""
    block = tl.program_id(0)
    if CAUSAL:
        block = tl.num_programs(0) - 1 - block  # the longest first
    head = tl.program_id(1) % HEADS
    batch = (tl.program_id(1) // HEADS).to(tl.int64)
    q += Q0 + batch * QB + head * QH
    k += K0 + batch * KB + (head // SHARED) * KH
    v += V0 + batch * VB + (head // SHARED) * VH
    out += batch * OB + head * OH
    if MASK != 0:
        mask += M0 + batch * MB + head * MH
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    depth = tl.arange(0, BLOCK_D)
    width = tl.arange(0, BLOCK_W)
    inside = (rows[:, None] < ROWS) & (depth[None, :] < DEPTH)
    query = tl.load(q + rows[:, None] * QM + depth[None, :], mask=inside, other=0.0)
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    most = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    result = tl.zeros([BLOCK_M, BLOCK_W], dtype=tl.float32)
    whole = (KEYS // BLOCK_N) * BLOCK_N  # up to here no column is past the end
    end = KEYS
    if CAUSAL:
        whole = tl.minimum(whole, (block * BLOCK_M) // BLOCK_N * BLOCK_N)
        end = tl.minimum(KEYS, (block + 1) * BLOCK_M)
    total, most, result = _pass_over(
        total, most, result, query, k, v, mask, rows, 0, whole,
        KN, VN, DEPTH, BLOCK_D, WIDTH, BLOCK_W, ROWS, KEYS, MM, MN, MASK, CAUSAL, True, SCALE,
        BLOCK_N, PRECISION,
    )  # fmt: skip
    total, most, result = _pass_over(
        total, most, result, query, k, v, mask, rows, whole, end,
        KN, VN, DEPTH, BLOCK_D, WIDTH, BLOCK_W, ROWS, KEYS, MM, MN, MASK, CAUSAL, False, SCALE,
        BLOCK_N, PRECISION,
    )  # fmt: skip
    if ZEROS:
        total = tl.where(total == 0.0, 1.0, total)
    inside = (rows[:, None] < ROWS) & (width[None, :] < WIDTH)
    result = result / total[:, None]
    tl.store(out + rows[:, None] * OM + width[None, :], result.to(out.dtype.element_ty), mask=inside)


#: What tuning tries: a block's rows and keys, warps, and stages.
_OTHERS = (
    (128, 64, 8, 3),
    (128, 64, 4, 3),
    (128, 128, 8, 2),
    (64, 32, 4, 3),
    (64, 128, 4, 2),
    (32, 64, 4, 3),
)


def plan(numbers: Numbers) -> Plan:
    """Choose blocks by the size of the heads: what fits into registers and shared memory."""
    wide, f32 = max(padded(numbers["depth"]), padded(numbers["width"])) > 128, _is_f32(numbers)
    # The fastest of thirteen on an H200, where they fit: benchmarks/NOTES.md, "CUDA".
    rows, keys = (64 if numbers["rows"] > 16 else 16), (32 if wide or f32 else 64)
    return _plan(numbers, rows, keys, 4, 2 if wide or f32 else 3)


def others(numbers: Numbers) -> list[Plan]:
    """Launch other blocks; some need more registers or shared memory than there are."""
    return [_plan(numbers, *form) for form in _OTHERS] if numbers["rows"] > 16 else []


def elements(numbers: Numbers) -> tuple[int, ...]:
    """Return how far query, key, value, the mask where there is one, and the result reach."""
    sizes = {"b": numbers["batch"], "h": numbers["heads"], "m": numbers["rows"], "n": numbers["keys"]}

    def reach(name: str, row: str, last: int) -> int:
        steps = sum((sizes[dim] - 1) * numbers[f"{name}{dim}"] for dim in ("b", "h", row))
        return numbers.get(f"{name}0", 0) + steps + last

    mask = [reach("m", "m", (sizes["n"] - 1) * numbers["mn"] + 1)] if numbers["mask"] else []
    query, value = reach("q", "m", numbers["depth"]), reach("v", "n", numbers["width"])
    return query, reach("k", "n", numbers["depth"]), value, *mask, reach("o", "m", numbers["width"])


def _is_f32(numbers: Numbers) -> bool:
    return element(numbers["type"]) == "fp32"


def _plan(numbers: Numbers, block_m: int, block_n: int, warps: int, stages: int) -> Plan:
    n = dict(numbers)
    kind, mask = element(n.pop("type")), element(n.pop("mask_type"))
    scale, batch = float_of(n.pop("scale")), n.pop("batch")
    block_d, block_w = padded(n["depth"], 16), padded(n["width"], 16)
    grid = (-(-n["rows"] // block_m), batch * n["heads"], 1)
    pointers = {"q": kind, "k": kind, "v": kind, "mask": mask if n["mask"] else None, "out": kind}
    constants: dict[str, object] = {name.upper(): value for name, value in n.items()}
    constants |= {
        "SCALE": scale,
        "BLOCK_M": block_m,
        "BLOCK_N": block_n,
        "BLOCK_D": block_d,
        "BLOCK_W": block_w,
    }
    constants["PRECISION"] = "tf32x3" if _is_f32(numbers) else "ieee"
    return Plan(grid, pointers, constants, warps, stages)


KERNEL = Kernel(attention, plan, others, elements)
