"""Build what programs need to know while they run: sizes of tensors, and constants."""

from __future__ import annotations

from typing import Any

from myjit.mlir.context import bindings

#: Operations that give some of a tensor's elements, or all of them in another shape, and compute nothing.
VIEWS = ("tensor.expand_shape", "tensor.collapse_shape", "tensor.cast", "tensor.extract_slice")


def computed_apart(value: Any) -> Any:
    """Return a tensor for readers whose kernels must not compute it; IREE drops the barrier after."""
    for dialect in ("arith", "iree_tensor_ext", "tensor"):
        value.context.dialects[dialect]  # loads it
    create = bindings(value).ir.Operation.create
    name = "iree_tensor_ext.compute_barrier.start"
    return create(name, [value.type], [value, *dynamic_sizes(value)]).results[0]


def compute_apart(value: Any, but_for: str = "") -> None:
    """Let no kernel of a result's readers compute it, as `computed_apart` does for one of them.

    Operations of the name `but_for` go on reading what they read.
    """
    uses = [(use.owner, use.operand_number) for use in value.uses if use.owner.name != but_for]
    if not uses:
        return
    with bindings(value).ir.InsertionPoint.after(value.owner), value.owner.location:
        apart = computed_apart(value)
    for user, place in uses:
        user.operands[place] = apart


def dynamic_sizes(value: Any) -> list[Any]:
    """Build the sizes of a tensor's dynamic dimensions, in order, at the current insertion point."""
    sizes = [size(value, dim) for dim in range(bindings(value).ir.RankedTensorType(value.type).rank)]
    return [each for each in sizes if not isinstance(each, int)]


def size(value: Any, dim: int) -> Any:
    """Return the size of a tensor's dimension: a number, or the value that is built where it is dynamic."""
    ir = bindings(value).ir
    kind = ir.RankedTensorType(value.type)
    if not kind.is_dynamic_dim(dim):
        return kind.get_dim_size(dim)
    return ir.Operation.create("tensor.dim", [ir.IndexType.get()], [value, index(ir, dim)]).results[0]


def index(ir: Any, value: int) -> Any:
    """Build a constant of index type."""
    kind = ir.IndexType.get()
    return constant(ir, kind, ir.IntegerAttr.get(kind, value))


def constant(ir: Any, kind: Any, value: Any) -> Any:
    """Build a constant from its attribute."""
    return ir.Operation.create("arith.constant", [kind], [], {"value": value}).results[0]


def zero(ir: Any, kind: Any) -> Any:
    """Return the attribute that is the zero of an integer, index or float type."""
    return ir.FloatAttr.get(kind, 0.0) if isinstance(kind, ir.FloatType) else ir.IntegerAttr.get(kind, 0)
