"""Put a tensor together in one dispatch: padding, concatenation, slices that are written to.

IREE fills a tensor and writes one part after the other into it, by a command or a dispatch each, in memory of
its own that it copies to the result in the end. Here one dispatch writes all parts, which `write-out-copies`
gives code, where the result lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from myjit.mlir.boxes import Box, around
from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.copied_parts import Part, parts_within
from myjit.mlir.flow_executables import flow_executables
from myjit.mlir.flow_updates import is_written, written
from myjit.mlir.loops import Loops
from myjit.mlir.memory import memory_of
from myjit.mlir.operations import operations
from myjit.mlir.panels import registers
from myjit.mlir.tile_memories import is_plain
from myjit.passes.base import Pass

_LOAD, _STORE = "iree_tensor_ext.dispatch.tensor.load", "iree_tensor_ext.dispatch.tensor.store"
_KINDS = ("offsets", "sizes", "strides")


@dataclass(frozen=True)
class _Start:
    """A tensor that is written into: empty, or filled with a number, or with what a source holds."""

    tensor: Any
    number: Any = None
    source: Any = None


@dataclass(frozen=True)
class _Known:
    """A module's executables by name, and the parts of the tensors that consist of nothing else."""

    executables: dict[str, Any]
    joined: dict[Any, list[Part]] = field(default_factory=dict)


@dataclass(frozen=True)
class JoinCopies(Pass):
    """Join the copies of at most `most` parts into a tensor of known sizes, empty or filled before."""

    IS_TUNING: ClassVar[bool] = True

    most: int = 48

    def run(self, module: Any) -> None:
        """Rewrite a module in place."""
        if registers(module) is None:
            return
        known = _Known(flow_executables(module))
        ops = list(operations(module.operation))
        starts = {start.tensor: op for op in ops if (start := _start(known.executables, op)) is not None}
        first = [(op, place) for op in ops for place in written(op) if op.operands[place] in starts]
        for op, place in first:
            start = _start(known.executables, starts[op.operands[place]])  # joined anew, what it copies
            if start is not None:
                self._join(module, known, start, op, place)

    def _join(self, module: Any, known: _Known, start: _Start, op: Any, place: int) -> None:
        """Join the copies into a tensor, of which an operation makes the first."""
        parts, copies = [], []
        while (part := _part(known.executables, op, place)) is not None:
            parts += _taken_apart(part, known.joined)
            copies.append(op)
            use = _only_use(op.results[0])
            if use is None:
                break
            op, place = use.owner.operation, use.operand_number
        if not 0 < len(parts) <= self.most:
            return
        last = copies[-1].results[0]
        if around(_shape(last), [part.written for part in parts]) is None:
            return  # some are written over
        sources = [start.source] if start.source is not None else []
        sources = list(dict.fromkeys([*sources, *(part.source for part in parts)]))
        if any(is_written(memory_of(source)) for source in sources):
            return  # they would be read later than `keep-order` knows of
        name = f"copies_{len(known.executables)}"
        known.executables[name] = _add(module, _executable(name, sources, parts, last, start))
        made = _dispatch(copies[-1], name, sources, last.type)
        if start.number is None and start.source is None:
            known.joined[made] = parts
        last.replace_all_uses_with(made)
        for op in reversed(copies):
            op.erase()


def _taken_apart(part: Part, joined: dict[Any, list[Part]]) -> list[Part]:
    """Return a part by what its source is put together from, if it is."""
    whole = part.source
    while whole not in joined and getattr(whole.owner, "name", "") == "flow.tensor.reshape":
        whole = whole.owner.operands[0]
    parts = parts_within(part, _shape(whole), joined[whole]) if whole in joined else None
    return [part] if parts is None else parts


def _start(executables: dict[str, Any], op: Any) -> _Start | None:
    """Return what an operation makes that copies may be written into."""
    if op.name == "flow.tensor.empty" and _is_static(op.results[0]):
        return _Start(op.results[0])
    if op.name == "flow.tensor.splat" and _is_static(op.results[0]):
        number = op.operands[0]
        return None if constant_of(number) is None else _Start(op.results[0], number=number)
    if op.name == "flow.dispatch" and _copies_all(executables, op):
        source, made = op.operands[1], op.results[0]
        while (view := _only_use(made)) is not None and view.owner.name == "flow.tensor.reshape":
            made = view.owner.results[0]
        if source.type != made.type and getattr(source.owner, "name", "") == "flow.tensor.reshape":
            source = source.owner.operands[0]
        # Not where others read the copy: it would be made for them as well.
        if source.type == made.type and _only_use(made) is not None:
            return _Start(made, source=source)
    return None


def _copies_all(executables: dict[str, Any], op: Any) -> bool:
    """Tell whether a dispatch makes a copy that IREE could not leave out (`structured.copied`)."""
    if list(op.attributes["operandSegmentSizes"]) != [0, 2, 0, 0] or written(op):
        return False
    always, source = op.operands
    if getattr(always.owner, "name", "") != "util.optimization_barrier" or not _is_static(source):
        return False
    function = _function(executables, op)
    loops = [each for each in operations(function) if each.name == "linalg.generic"]
    if len(loops) != 1 or not constant_of(always.owner.operands[0]):
        return False
    if not _keeps_order(loops[0]):
        return False
    (block,) = loops[0].regions[0].blocks
    choice, *others = (each.operation for each in block)
    if choice.name != "arith.select" or len(others) != 1:
        return False
    wanted = [function.regions[0].blocks[0].arguments[0], block.arguments[0]]
    return list(choice.operands)[:2] == wanted and others[0].operands[0] == choice.results[0]


def _keeps_order(op: Any) -> bool:
    """Tell whether loops read one tensor, and write one, each element in its place."""
    loops = Loops(op)
    return loops.along() == [list(range(len(loops.iterators)))] * 2


def _function(executables: dict[str, Any], dispatch: Any) -> Any:
    """Return the function that a dispatch calls."""
    (entry,) = dispatch.attributes["entry_points"]
    (function,) = [op for op in operations(executables[entry.value[0]]) if op.name == "func.func"]
    return function


def _add(module: Any, text: str) -> Any:
    ir = bindings(module).ir
    parsed = ir.Module.parse(text, module.context)  # what it holds goes with it
    (op,) = parsed.body.operations
    return op.operation.clone(ir.InsertionPoint.at_block_begin(module.body))


def _only_use(value: Any) -> Any:
    uses = list(value.uses)
    return uses[0] if len(uses) == 1 else None


def _is_static(value: Any) -> bool:
    return bindings(value).ir.RankedTensorType(value.type).has_static_shape and is_plain(value)


def _part(executables: dict[str, Any], op: Any, place: int) -> Part | None:
    """Return what an operation writes into its operand at `place`; None if it does more than to copy."""
    if op.name == "flow.tensor.update" and place == 0:
        return _update(op)
    if op.name != "flow.dispatch" or list(op.attributes["operandSegmentSizes"]) != [0, 2, 0, 0]:
        return None
    if written(op) != [place] or not all(map(_is_static, op.operands)):
        return None
    return _copied(_function(executables, op), op.operands, place)


def _update(op: Any) -> Part | None:
    """Return the part that a command writes into a tensor."""
    targets, dims, starts, *_ = op.attributes["operandSegmentSizes"]
    first = targets + dims
    offsets = [constant_of(each) for each in list(op.operands)[first : first + starts]]
    source = op.operands[first + starts]
    if None in offsets or not _is_static(source):
        return None
    whole = Box.whole(_shape(source))
    return Part(source, source.type, whole, Box(tuple(offsets), whole.sizes, whole.steps))


def _copied(function: Any, operands: Sequence[Any], place: int) -> Part | None:
    """Return the part that a kernel of two tensors copies from one to the other."""
    block = function.regions[0].blocks[0]
    ops = [op.operation for op in block if op.operation.name != "arith.constant"]
    if [op.name for op in ops] != [_LOAD, _STORE, "func.return"]:
        return None
    load, store, _ = ops
    arguments = list(block.arguments)
    if load.operands[0] != arguments[1 - place] or store.operands[1] != arguments[place]:
        return None
    read, put = _box(load), _box(store)
    if store.operands[0] != load.results[0] or read is None or put is None:
        return None
    return Part(operands[1 - place], load.results[0].type, read, put)


def _box(op: Any) -> Box | None:
    box = Box(*(tuple(op.attributes[f"static_{kind}"]) for kind in _KINDS))
    dynamic = bindings(op).ir.ShapedType.get_dynamic_size()
    return None if any(dynamic in numbers for numbers in box.lists()) else box


def _shape(tensor: Any) -> list[int]:
    return list(bindings(tensor).ir.RankedTensorType(tensor.type).shape)


def _executable(name: str, sources: Sequence[Any], parts: Sequence[Part], result: Any, start: _Start) -> str:
    """Return the text of an executable that puts a tensor together."""
    kinds = [f"!iree_tensor_ext.dispatch.tensor<readonly:{source.type}>" for source in sources]
    whole = f"!iree_tensor_ext.dispatch.tensor<writeonly:{result.type}>"
    everything = _spelled(Box.whole(_shape(result)))
    lines, made = [f"%made = tensor.empty() : {result.type}"], "%made"
    if start.number is not None:
        number = start.number
        lines += [
            f"%number = arith.constant {number.owner.attributes['value']}",
            f"%around = linalg.fill ins(%number : {number.type})"
            f" outs(%made : {result.type}) -> {result.type}",
        ]
        made = "%around"
    if start.source is not None:
        lines.append(f"%around = {_LOAD} %source0, {everything} : {kinds[0]} -> {result.type}")
        made = "%around"
    for i, part in enumerate(parts):
        place = sources.index(part.source)
        box = "[{}] [{}] [{}]".format(*(", ".join(map(str, each)) for each in part.written.lists()))
        lines += [
            f"%part{i} = {_LOAD} %source{place}, {_spelled(part.read)} : {kinds[place]} -> {part.kind}",
            f"%next{i} = tensor.insert_slice %part{i} into {made}{box} : {part.kind} into {result.type}",
        ]
        made = f"%next{i}"
    lines.append(f"{_STORE} {made}, %result, {everything} : {result.type} -> {whole}")
    arguments = [*(f"%source{i}: {kind}" for i, kind in enumerate(kinds)), f"%result: {whole}"]
    body = "\n".join(lines)
    return f"""
flow.executable private @{name} {{
  flow.executable.export public @{name} workgroups() -> (index, index, index) {{
    %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
    flow.return %x, %y, %z : index, index, index
  }}
  builtin.module {{
    func.func @{name}({", ".join(arguments)}) {{
      {body}
      return
    }}
  }}
}}"""


def _spelled(box: Box) -> str:
    return ", ".join(f"{kind} = {list(n)}" for kind, n in zip(_KINDS, box.lists(), strict=True))


def _dispatch(before: Any, name: str, sources: Sequence[Any], kind: Any) -> Any:
    """Build the operation that runs an executable of one kernel, and return its result."""
    ir = bindings(before).ir
    attributes = {
        "entry_points": ir.ArrayAttr.get([ir.SymbolRefAttr.get([name, name])]),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, len(sources), 0, 0]),
    }
    with ir.InsertionPoint(before), before.location:
        return ir.Operation.create("flow.dispatch", [kind], list(sources), attributes).results[0]
