"""Build operations of linalg, in the bindings of the values that they take.

Not through linalg's own builders in Python: those take 0.3 s to import.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.tensors import constant, size, zero

#: Builds what an operation computes, from one element of each tensor, the result's last.
Body = Callable[..., Any]


def empty(like: Any, sizes: Sequence[Any], element: Any = None) -> Any:
    """Build a tensor without content: numbers or index values for sizes, elements of a type or of `like`."""
    ir = bindings(like).ir
    element = ir.RankedTensorType(like.type).element_type if element is None else element
    shape = [each if isinstance(each, int) else ir.ShapedType.get_dynamic_size() for each in sizes]
    dynamic = [each for each in sizes if not isinstance(each, int)]
    kind = ir.RankedTensorType.get(shape, element)
    return ir.Operation.create("tensor.empty", [kind], dynamic).results[0]


def structured(name: str, inputs: Sequence[Any], init: Any, attributes: dict[str, Any], body: Body) -> Any:
    """Build an operation of linalg that writes into `init`."""
    (result,) = _structured(name, inputs, [init], attributes, lambda *each: [body(*each)])
    return result


def several(
    inputs: Sequence[Any], inits: Sequence[Any], maps: Sequence[Any], kinds: Any, body: Body
) -> list[Any]:
    """Build loops of the iterator types `kinds` that write into several tensors: `body` gives one of each."""
    ir = bindings(inits[0]).ir
    attributes = {
        "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps]),
        "iterator_types": kinds,
    }
    return _structured("linalg.generic", inputs, inits, attributes, body)


def _structured(
    name: str, inputs: Sequence[Any], inits: Sequence[Any], attributes: dict[str, Any], body: Body
) -> list[Any]:
    ir = bindings(inits[0]).ir
    operands = [*inputs, *inits]
    segments = ir.DenseI32ArrayAttr.get([len(inputs), len(inits)])
    if name not in ("linalg.transpose", "linalg.broadcast"):
        attributes = {**attributes, "operandSegmentSizes": segments}
    op = ir.Operation.create(name, [init.type for init in inits], operands, attributes, regions=1)
    elements = [ir.ShapedType(value.type).element_type for value in operands]
    block = op.regions[0].blocks.append(*elements, arg_locs=[ir.Location.current] * len(elements))
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", [], body(ir, *block.arguments))
    return list(op.results)


def generic(inputs: Sequence[Any], init: Any, maps: Sequence[Any], reductions: int, body: Body) -> Any:
    """Build loops over tensors: one affine map a tensor, the innermost `reductions` of the loops reduce."""
    ir = bindings(init).ir
    parallel, reduction = (
        ir.Attribute.parse(f"#linalg.iterator_type<{k}>") for k in ("parallel", "reduction")
    )
    outer = [parallel] * (maps[0].n_dims - reductions)
    attributes = {
        "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps]),
        "iterator_types": ir.ArrayAttr.get(outer + [reduction] * reductions),
    }
    return structured("linalg.generic", inputs, init, attributes, body)


def looped(
    kinds: Sequence[str], inputs: Sequence[Any], init: Any, places: Sequence[Sequence[int]], body: Body
) -> Any:
    """Build loops of `kinds` over tensors; `places` are the loops along their dimensions, -1 for none."""
    ir = bindings(init).ir

    def expression(place: int) -> Any:
        return ir.AffineConstantExpr.get(0) if place < 0 else ir.AffineDimExpr.get(place)

    maps = [ir.AffineMap.get(len(kinds), 0, [expression(place) for place in each]) for each in places]
    attributes = {
        "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps]),
        "iterator_types": ir.ArrayAttr.get(
            [ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in kinds]
        ),
    }
    return structured("linalg.generic", inputs, init, attributes, body)


def copied(value: Any, other: Any = None) -> Any:
    """Build a copy that IREE cannot leave out: `value if always else other`, where it cannot know `always`.

    `other` is a tensor of one element and no dimension; without one it is a zero that kernels hold.
    """
    ir = bindings(value).ir
    kind = ir.RankedTensorType(value.type)
    element, boolean = kind.element_type, ir.IntegerType.get_signless(1)
    yes = constant(ir, boolean, ir.IntegerAttr.get(boolean, 1))
    always = ir.Operation.create("util.optimization_barrier", [boolean], [yes]).results[0]
    inputs = [value] if other is None else [value, other]
    nothing = constant(ir, element, zero(ir, element)) if other is None else None

    def body(ir: Any, one: Any, another: Any, *_: Any) -> Any:
        unused = another if nothing is None else nothing
        return ir.Operation.create("arith.select", [element], [always, one, unused]).results[0]

    whole, none = ir.AffineMap.get_identity(kind.rank), ir.AffineMap.get(kind.rank, 0, [])
    init = empty(value, [size(value, dim) for dim in range(kind.rank)])
    return generic(inputs, init, [whole, *[none] * (len(inputs) - 1), whole], 0, body)


def fill(scalar: Any, init: Any) -> Any:
    """Build a tensor like `init` whose elements are all the same."""
    ir = bindings(init).ir
    segments = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1])}
    op = ir.Operation.create("linalg.fill", [init.type], [scalar, init], segments, regions=1)
    block = op.regions[0].blocks.append(*[scalar.type] * 2, arg_locs=[ir.Location.current] * 2)
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", [], [block.arguments[0]])
    return op.results[0]


def transpose(value: Any, order: Sequence[int]) -> Any:
    """Build a tensor whose dimension `i` is dimension `order[i]` of `value`."""
    ir = bindings(value).ir
    init = empty(value, [size(value, dim) for dim in order])
    permutation = {"permutation": ir.DenseI64ArrayAttr.get(list(order))}
    return structured("linalg.transpose", [value], init, permutation, lambda _, element, old: element)


def multiply_add(ir: Any, left: Any, right: Any, total: Any) -> Any:
    """Build `total + left * right` of floats, in the type of `total`."""
    factors = [
        each
        if each.type == total.type
        else ir.Operation.create("arith.extf", [total.type], [each]).results[0]
        for each in (left, right)
    ]
    product = ir.Operation.create("arith.mulf", [total.type], factors).results[0]
    return ir.Operation.create("arith.addf", [total.type], [total, product]).results[0]


def expand(value: Any, sizes: Sequence[Any], groups: Sequence[Sequence[int]]) -> Any:
    """Build a tensor of `sizes`, numbers or index values, with a group of dimensions in place of each one."""
    ir = bindings(value).ir
    static = [each if isinstance(each, int) else ir.ShapedType.get_dynamic_size() for each in sizes]
    attributes = {
        "reassociation": ir.Attribute.parse(str([list(group) for group in groups])),
        "static_output_shape": ir.DenseI64ArrayAttr.get(static),
    }
    kind = ir.RankedTensorType.get(static, ir.RankedTensorType(value.type).element_type)
    operands = [value, *(each for each in sizes if not isinstance(each, int))]
    return ir.Operation.create("tensor.expand_shape", [kind], operands, attributes).results[0]


def collapse(value: Any, groups: Sequence[Sequence[int]]) -> Any:
    """Build a tensor with one dimension in place of each group of them."""
    ir = bindings(value).ir
    kind = ir.RankedTensorType(value.type)
    unknown = ir.ShapedType.get_dynamic_size()
    shape = [
        unknown if any(kind.is_dynamic_dim(d) for d in group) else math.prod(kind.shape[d] for d in group)
        for group in groups
    ]
    collapsed = ir.RankedTensorType.get(shape, kind.element_type)
    reassociation = {"reassociation": ir.Attribute.parse(str([list(group) for group in groups]))}
    return ir.Operation.create("tensor.collapse_shape", [collapsed], [value], reassociation).results[0]
