"""Put a tensor together in one dispatch: padding, concatenation, slices that are written to.

IREE fills a tensor and writes one part after the other into it, by a command or a dispatch each, in memory of
its own that it copies to the result in the end. Here one dispatch writes all parts, which `write-out-copies`
gives code, where the result lies. What computes a part, or something of the whole, element by element is done
there too, and what slices in steps are only read for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from myjit.mlir.boxes import Box, around
from myjit.mlir.constants import constant_of, repeated_number
from myjit.mlir.context import bindings
from myjit.mlir.copied_parts import Part, parts_within
from myjit.mlir.elementwise import LOAD, STORE, Elementwise, elementwise, function_of, is_static, static_box
from myjit.mlir.flow_executables import flow_executables
from myjit.mlir.flow_updates import is_read_elsewhere, is_written, written
from myjit.mlir.joined_parts import Joined, reshaped
from myjit.mlir.loops import Loops
from myjit.mlir.memory import memory_of
from myjit.mlir.operations import operations
from myjit.mlir.panels import registers
from myjit.passes.base import Pass


@dataclass(frozen=True)
class _Start:
    """A tensor that is written into: empty, or filled with a number, or with what a source holds."""

    tensor: Any
    number: Any = None
    source: Any = None


@dataclass(frozen=True)
class _Known:
    """A module's executables by name, and the parts of the tensors that consist of nothing else.

    `read` holds, by tensor, the tensors with parts that are made of it.
    """

    executables: dict[str, Any]
    joined: dict[Any, list[Part]] = field(default_factory=dict)
    read: dict[Any, list[Any]] = field(default_factory=dict)

    def add(self, joined: Joined, made: Any) -> None:
        """Know the parts of a tensor."""
        self.joined[made] = list(joined.parts)
        for source in joined.sources():
            self.read.setdefault(source, []).append(made)

    def forget(self, tensor: Any) -> None:
        """Forget a tensor that goes, and of what is made of it which parts it has."""
        for each in (tensor, *self.read.pop(tensor, ())):
            self.joined.pop(each, None)


@dataclass(frozen=True)
class JoinCopies(Pass):
    """Join the copies of at most `most` parts into a tensor of known sizes, empty or filled before.

    What is computed of at most `computed` parts, and of what is around them, is computed there too.
    """

    IS_TUNING: ClassVar[bool] = True

    most: int = 48
    computed: int = 8

    def run(self, module: Any) -> None:
        """Rewrite a module in place."""
        if registers(module) is None:
            return
        known = _Known(flow_executables(module))
        writes = [(op, place) for op in operations(module.operation) for place in written(op)]
        # What is written first, before any operation goes.
        for op, place in [each for each in writes if _started(known.executables, *each) is not None]:
            start = _started(known.executables, op, place)  # joined anew, what it copies
            if start is not None:
                self._join(module, known, start, op, place)
        for op in list(operations(module.operation)):
            _read_steps(module, known, op)

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
        rest = around(_shape(last), [part.written for part in parts])
        if rest is None:
            return  # some are written over
        then, place = None, -1
        if len(parts) + len(rest) <= self.computed:
            parts = [_computed(known.executables, part) for part in parts]
            then, place = _follower(known.executables, last)
        joined = Joined(last.type, parts, start.source, start.number, then, place)
        made = _run(module, known, joined, copies[-1] if then is None else then.dispatch)
        if made is None:
            return
        if start.number is None and start.source is None and then is None:
            known.add(joined, made)
        _replace(last if then is None else then.dispatch.results[0], made)
        for op in (*([then.dispatch] if then is not None else []), *reversed(copies)):
            _erase(known, op)


def _computed(executables: dict[str, Any], part: Part) -> Part:
    """Return a part with the loops that compute its source, if nothing else needs it."""
    if part.source is None or part.made is not None or not part.read.is_dense():
        return part
    if is_read_elsewhere(part.source):
        return part
    found = _elementwise(executables, _viewed(part.source))
    seen = found and found.seen_as(_shape(part.source))
    return replace(part, made=seen and seen.through_copies(executables))


def _follower(executables: dict[str, Any], whole: Any) -> tuple[Elementwise | None, int]:
    """Return the only loops that read a tensor, if they compute another one, and their input's place."""
    seen, use = whole, _only_use(whole)
    while use is not None and use.owner.name == "flow.tensor.reshape":
        seen, use = use.owner.results[0], _only_use(use.owner.results[0])
    found = None if use is None else elementwise(executables, use.owner.operation)
    then = found and found.seen_as(_shape(whole))
    places = [i for i, each in enumerate(then.inputs) if each.tensor == seen] if then else []
    if len(places) != 1 or then is None or len(then.inputs[places[0]].loops) != len(then.shape):
        return None, -1
    return then.through_copies(executables), places[0]


def _elementwise(executables: dict[str, Any], tensor: Any) -> Elementwise | None:
    is_made = getattr(tensor.owner, "name", "") == "flow.dispatch"
    return elementwise(executables, tensor.owner) if is_made else None


def _replace(tensor: Any, made: Any) -> None:
    ir = bindings(tensor).ir
    with ir.InsertionPoint.after(made.owner), made.owner.location:
        tensor.replace_all_uses_with(reshaped(ir, made, tensor.type))


def _read_steps(module: Any, known: _Known, op: Any) -> None:
    """Have loops read themselves what others have copied in steps."""
    found = elementwise(known.executables, op)
    made = found and _reading_in_steps(known.executables, found)
    if made is None:
        return
    (result,) = op.results
    ir = bindings(op).ir
    whole, kind = Box.whole(made.shape), ir.RankedTensorType.get(list(made.shape), made.element_type())
    joined = Joined(kind, [Part(result, kind, whole, whole, made)])
    other = _run(module, known, joined, op)
    if other is not None:
        _replace(result, other)
        _erase(known, op)


def _run(module: Any, known: _Known, joined: Joined, before: Any) -> Any:
    """Run a dispatch of its own that puts a tensor together; None where one that it reads is written into."""
    if any(is_written(memory_of(source)) for source in joined.sources()):
        return None  # it would be read later than `keep-order` knows of
    name = f"copies_{len(known.executables)}"
    known.executables[name], made = joined.dispatch(module, name, before)
    return made


def _reading_in_steps(executables: dict[str, Any], loops: Elementwise) -> Elementwise | None:
    """Return loops that read what others copy in steps, with the dimensions of the copy."""
    for each in loops.inputs:
        made = loops.seen_as(_shape(_viewed(each.tensor)))
        made = made and made.through_copies(executables)
        if made is not None and not all(each.box is None or each.box.is_dense() for each in made.inputs):
            return made
    return None


def _viewed(tensor: Any) -> Any:
    """Return what a tensor is a reshape of."""
    while getattr(tensor.owner, "name", "") == "flow.tensor.reshape":
        tensor = tensor.owner.operands[0]
    return tensor


def _erase(known: _Known, op: Any) -> None:
    """Erase an operation, and what of views, and of dispatches that write nothing, it alone has used."""
    left = _idle_before(op)
    _drop(known, op)
    while unused := [each for each in left if not any(list(result.uses) for result in each.results)]:
        for each in unused:
            left.remove(each)
            left += [other for other in _idle_before(each) if other not in left]
            _drop(known, each)


def _idle_before(op: Any) -> list[Any]:
    """Return the operations of which an operation uses results, and which do nothing but to give them."""
    ops = [value.owner.operation for value in op.operands if hasattr(value.owner, "operation")]
    return [
        each
        for each in dict.fromkeys(ops)
        if each.name == "flow.tensor.reshape" or (each.name == "flow.dispatch" and not written(each))
    ]


def _drop(known: _Known, op: Any) -> None:
    for result in op.results:
        known.forget(result)
    op.erase()


def _slice(op: Any) -> Part | None:
    """Return the part of a tensor that a command takes out of it."""
    if not is_static(op.operands[0]) or not is_static(op.results[0]):
        return None
    _, dims, starts, *_ = op.attributes["operandSegmentSizes"]
    offsets = [constant_of(each) for each in list(op.operands)[1 + dims : 1 + dims + starts]]
    if None in offsets:
        return None
    (result,) = op.results
    whole = Box.whole(_shape(result))
    return Part(op.operands[0], result.type, Box(tuple(offsets), whole.sizes, whole.steps), whole)


def _taken_apart(part: Part, joined: dict[Any, list[Part]]) -> list[Part]:
    """Return a part by what its source is put together from, or taken out of, if it is."""
    whole = part.source
    if whole is None:
        return [part]
    number = repeated_number(whole)
    if number is not None:
        return [replace(part, source=None, number=number)]
    while whole not in joined and getattr(whole.owner, "name", "") == "flow.tensor.reshape":
        whole = whole.owner.operands[0]
    taken = _slice(whole.owner) if getattr(whole.owner, "name", "") == "flow.tensor.slice" else None
    inner = joined.get(whole, [taken] if taken is not None else None)
    parts = parts_within(part, _shape(whole), inner) if inner is not None else None
    return [part] if parts is None else parts


def _started(executables: dict[str, Any], op: Any, place: int) -> _Start | None:
    """Return what an operation writes into with its operand at `place`, if nothing has been written there."""
    made = _viewed(op.operands[place])
    start = _start(executables, made.owner.operation) if hasattr(made.owner, "operation") else None
    return start if start is not None and start.tensor == op.operands[place] else None


def _start(executables: dict[str, Any], op: Any) -> _Start | None:
    """Return what an operation makes that copies may be written into."""
    if op.name == "flow.tensor.empty" and is_static(op.results[0]):
        return _Start(op.results[0])
    if op.name == "flow.tensor.splat" and is_static(op.results[0]):
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
    if getattr(always.owner, "name", "") != "util.optimization_barrier" or not is_static(source):
        return False
    function = function_of(executables, op)
    loops = [each for each in operations(function) if each.name == "linalg.generic"]
    if len(loops) != 1 or not constant_of(always.owner.operands[0]):
        return False
    if not Loops(loops[0]).keeps_order():
        return False
    (block,) = loops[0].regions[0].blocks
    choice, *others = (each.operation for each in block)
    if choice.name != "arith.select" or len(others) != 1:
        return False
    wanted = [function.regions[0].blocks[0].arguments[0], block.arguments[0]]
    return list(choice.operands)[:2] == wanted and others[0].operands[0] == choice.results[0]


def _only_use(value: Any) -> Any:
    uses = list(value.uses)
    return uses[0] if len(uses) == 1 else None


def _part(executables: dict[str, Any], op: Any, place: int) -> Part | None:
    """Return what an operation writes into its operand at `place`; None if it does more than to copy."""
    if op.name == "flow.tensor.update" and place == 0:
        return _update(op)
    if op.name != "flow.dispatch" or written(op) != [place] or not all(map(is_static, op.operands)):
        return None
    match list(op.attributes["operandSegmentSizes"]):
        case [0, 1, 0, 0]:
            return _repeated(function_of(executables, op))
        case [0, 2, 0, 0]:
            return _copied(function_of(executables, op), op.operands, place)
    return None


def _repeated(function: Any) -> Part | None:
    """Return the part of its only tensor that a kernel fills with a number."""
    ops = [op.operation for op in function.regions[0].blocks[0] if op.operation.name != "arith.constant"]
    if [op.name for op in ops] != [STORE, "func.return"]:
        return None
    value, put = ops[0].operands[0], static_box(ops[0])
    number = repeated_number(value)
    if number is None or put is None:
        return None
    return Part(None, value.type, Box.whole(_shape(value)), put, number=number)


def _update(op: Any) -> Part | None:
    """Return the part that a command writes into a tensor."""
    targets, dims, starts, *_ = op.attributes["operandSegmentSizes"]
    first = targets + dims
    offsets = [constant_of(each) for each in list(op.operands)[first : first + starts]]
    source = op.operands[first + starts]
    if None in offsets or not is_static(source):
        return None
    whole = Box.whole(_shape(source))
    return Part(source, source.type, whole, Box(tuple(offsets), whole.sizes, whole.steps))


def _copied(function: Any, operands: Sequence[Any], place: int) -> Part | None:
    """Return the part that a kernel of two tensors copies from one to the other."""
    block = function.regions[0].blocks[0]
    ops = [op.operation for op in block if op.operation.name != "arith.constant"]
    if [op.name for op in ops] != [LOAD, STORE, "func.return"]:
        return None
    load, store, _ = ops
    arguments = list(block.arguments)
    if load.operands[0] != arguments[1 - place] or store.operands[1] != arguments[place]:
        return None
    read, put = static_box(load), static_box(store)
    if store.operands[0] != load.results[0] or read is None or put is None:
        return None
    return Part(operands[1 - place], load.results[0].type, read, put)


def _shape(tensor: Any) -> list[int]:
    return list(bindings(tensor).ir.RankedTensorType(tensor.type).shape)
