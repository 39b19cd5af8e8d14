"""Compute once what several elementwise loops compute alike, such as a triangle of a triangle.

IREE finds out that two results of one kernel are the same when it has fused the loops, and then takes the
kernel's first result for the second of them: the last of `y = x.tril(); return x, y, y.tril()`, of a computed
`x`, was `x` (IREE 3.13, on every target, without a word). Remove when tests/transforms/test_merge_equals.py
passes without this.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from myjit.mlir.bodies import yielded
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.tensors import constant
from myjit.passes.base import Pass, functions

#: What IREE does to the numbers of fused loops.
_FOLD = "builtin.module(canonicalize,cse,canonicalize,cse)"

#: The dialects whose operations take numbers, and nothing else, to numbers.
_ON_NUMBERS = ("arith.", "math.", "complex.")


@dataclass(frozen=True)
class MergeEquals(Pass):
    """Replace results of parallel loops by earlier ones whose elements fold to the same."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        for function in functions(module):
            for block in function.regions[0].blocks:
                _merge(module, block)


def _merge(module: Any, block: Any) -> None:
    ir = bindings(module).ir
    loops = [op.operation for op in block if _is_elementwise(op.operation)]
    if len(loops) < 2:
        return
    with module.context, ir.Location.unknown():
        elements = _Elements(ir, ir.Module.create())
    for op in loops:
        elements.add(op)
    found = elements.folded()
    first: dict[Any, Any] = {}
    for result, element in zip(elements.results, found, strict=True):
        same = first.setdefault((element, *_form(result)), result)
        if same != result:
            result.replace_all_uses_with(_seen_as(same, result.type))


def _is_elementwise(op: Any) -> bool:
    """Tell whether loops give each element of their results in the order in which they run."""
    if op.name != "linalg.generic":
        return False
    loops = Loops(op)
    order = list(range(len(loops.iterators)))
    results = loops.along()[-len(op.results) :]
    return "reduction" not in loops.iterators and all(along == order for along in results)


def _form(result: Any) -> tuple[Any, ...]:
    """Return what two results of the same elements have in common if one can be seen as the other."""
    kind = bindings(result).ir.RankedTensorType(result.type)
    if kind.has_static_shape:
        return str(kind.element_type), math.prod(kind.shape)
    return str(kind), _sizes(result)


def _seen_as(tensor: Any, wanted: Any) -> Any:
    """Return a tensor with the dimensions of another type, of as many elements."""
    if tensor.type == wanted:
        return tensor
    ir = bindings(tensor).ir
    kind, wanted = ir.RankedTensorType(tensor.type), ir.RankedTensorType(wanted)
    row = ir.RankedTensorType.get([math.prod(kind.shape)], kind.element_type)
    with ir.InsertionPoint.after(tensor.owner), tensor.owner.location:
        for shape in (row, wanted):
            tensor = _reshaped(ir, tensor, shape)
    return tensor


def _reshaped(ir: Any, tensor: Any, kind: Any) -> Any:
    """Join all dimensions of a tensor, or split its only one."""
    if tensor.type == kind:
        return tensor
    rank, other = ir.RankedTensorType(tensor.type).rank, kind.rank
    word = ir.IntegerType.get_signless(64)
    group = ir.ArrayAttr.get([ir.IntegerAttr.get(word, dim) for dim in range(max(rank, other))])
    attributes = {"reassociation": ir.ArrayAttr.get([group] if min(rank, other) else [])}
    if other < rank:
        return ir.Operation.create("tensor.collapse_shape", [kind], [tensor], attributes).results[0]
    attributes["static_output_shape"] = ir.DenseI64ArrayAttr.get(kind.shape)
    return ir.Operation.create("tensor.expand_shape", [kind], [tensor], attributes).results[0]


def _viewed(tensor: Any) -> Any:
    """Return what a tensor of known sizes is another form of, its elements in the same order."""
    ir = bindings(tensor).ir
    while getattr(tensor.owner, "name", "") in ("tensor.collapse_shape", "tensor.expand_shape"):
        source = tensor.owner.operands[0]
        if not ir.RankedTensorType(source.type).has_static_shape:
            break
        tensor = source
    return tensor


def _sizes(result: Any) -> tuple[Any, ...]:
    """Return what a tensor's sizes that change are made from."""
    place = len(result.owner.operands) - len(result.owner.results) + result.result_number
    start = result.owner.operands[place]
    return tuple(start.owner.operands) if getattr(start.owner, "name", "") == "tensor.empty" else (start,)


@dataclass
class _Elements:
    """A function in a module of its own, of one element of each tensor, that returns the loops' elements."""

    ir: Any
    module: Any
    results: list[Any] = field(default_factory=list)
    _known: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ir = self.ir
        with ir.InsertionPoint(self.module.body), ir.Location.unknown(self.module.context):
            attributes = {
                "sym_name": ir.StringAttr.get("elements"),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get([], [])),
            }
            self._function = ir.Operation.create("func.func", attributes=attributes, regions=1)
        self._block = ir.Block.create_at_start(self._function.regions[0], [])

    def add(self, op: Any) -> None:
        """Build what loops compute from one element of each tensor."""
        body = op.regions[0].blocks[0]
        known: dict[Any, Any] = {}
        loops = Loops(op)
        extents, order = loops.extents(), list(range(len(loops.iterators)))
        tensors = zip(op.operands, loops.maps(), loops.along(), body.arguments, strict=True)
        for value, map_, along, argument in tensors:
            source, place = value, (str(map_), *extents)
            if along == order:
                source, place = _viewed(value), ()
            inner = self._known.get(source) if along == order else None
            inner = self._everywhere(source) if inner is None else inner
            known[argument] = self._given((source, place), argument.type) if inner is None else inner
        for each in [each.operation for each in body][:-1]:
            if not each.name.startswith(_ON_NUMBERS) or len(each.regions):
                known.update((result, self._given(result, result.type)) for result in each.results)
                continue
            with self.ir.InsertionPoint(self._block), each.location:
                copy = each.clone()
            for place, operand in enumerate(each.operands):
                copy.operands[place] = known[operand] if operand in known else self._outer(operand)
            known.update(zip(each.results, copy.results, strict=True))
        for number, result in enumerate(op.results):
            value = yielded(op, number)
            self._known[result] = known[value] if value in known else self._outer(value)
            self.results.append(result)

    def folded(self) -> list[Any]:
        """Fold the function; return the element of each of the results, equal where they are."""
        ir, elements = self.ir, [self._known[result] for result in self.results]
        with ir.InsertionPoint(self._block), ir.Location.unknown(self.module.context):
            ir.Operation.create("func.return", [], elements)
            kind = ir.FunctionType.get([a.type for a in self._block.arguments], [e.type for e in elements])
            self._function.attributes["function_type"] = ir.TypeAttr.get(kind)
            bindings(self.module).passmanager.PassManager.parse(_FOLD).run(self.module.operation)
        block = self._function.regions[0].blocks[0]
        return list(block.operations[len(block.operations) - 1].operands)

    def _given(self, key: Any, kind: Any) -> Any:
        """Return the argument for what the function does not compute, the same for equal keys."""
        if key not in self._known:
            self._known[key] = self._block.add_argument(kind, self.ir.Location.unknown(self.module.context))
        return self._known[key]

    def _everywhere(self, tensor: Any) -> Any:
        """Return the number that all elements of a tensor are, None where that is not known."""
        owner, name = tensor.owner, getattr(tensor.owner, "name", "")
        if name == "linalg.fill":
            return self._outer(owner.operands[0])
        if name != "arith.constant" or not getattr(owner.attributes["value"], "is_splat", False):
            return None
        if tensor not in self._known:
            number = owner.attributes["value"].get_splat_value()
            with self.ir.InsertionPoint(self._block), owner.location:
                self._known[tensor] = constant(self.ir, number.type, number)
        return self._known[tensor]

    def _outer(self, value: Any) -> Any:
        """Return a number from outside of the loops."""
        if getattr(value.owner, "name", "") != "arith.constant":
            return self._given(value, value.type)
        if value not in self._known:
            with self.ir.InsertionPoint(self._block), value.owner.location:
                self._known[value] = value.owner.clone().results[0]
        return self._known[value]
