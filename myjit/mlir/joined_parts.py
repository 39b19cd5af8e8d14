"""The executable that puts a tensor together of parts, which it copies or computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.boxes import Box
from myjit.mlir.context import bindings
from myjit.mlir.copied_parts import Part
from myjit.mlir.elementwise import KINDS, LOAD, STORE, Elementwise, Input
from myjit.mlir.operations import operations


@dataclass(frozen=True)
class Joined:
    """A tensor of type `kind`: parts over what is there before, a number or what the tensor `start` holds.

    `then` are loops that compute another tensor of it, their input at `place`.
    """

    kind: Any
    parts: Sequence[Part]
    start: Any = None
    number: Any = None
    then: Elementwise | None = None
    place: int = -1

    def sources(self) -> list[Any]:
        """Return the tensors that are read."""
        return [*self.copied_from(), *(each.tensor for each in self.computed_from())]

    def copied_from(self) -> list[Any]:
        """Return the tensors that are read as they are."""
        start = [self.start] if self.start is not None else []
        copied = (part for part in self.parts if part.made is None and part.source is not None)
        return [*start, *(part.source for part in copied)]

    def computed_from(self) -> list[Input]:
        """Return what parts, and what is made of the whole, are computed from."""
        beside = () if self.then is None else self.then.inputs
        parts = [each for part in self.parts if part.made is not None for each in part.made.inputs]
        return [*parts, *(each for place, each in enumerate(beside) if place != self.place)]

    def dispatch(self, module: Any, name: str, before: Any) -> tuple[Any, Any]:
        """Add an executable to a module and run it before an operation; return it, and the tensor."""
        ir = bindings(module).ir
        with ir.InsertionPoint(before), before.location:
            seen = {each: _seen(ir, each) for each in self.computed_from()}
        text = _Text(self, list(dict.fromkeys([*self.copied_from(), *seen.values()])), seen)
        parsed = ir.Module.parse(text.executable(name), module.context)  # what it holds goes with it
        (op,) = parsed.body.operations
        executable = op.operation.clone(ir.InsertionPoint.at_block_begin(module.body))
        loops = [each for each in operations(executable) if each.name == "linalg.generic"]
        for made, original in zip(loops, text.loops, strict=True):
            _compute(ir, made, original.operation)
        attributes = {
            "entry_points": ir.ArrayAttr.get([ir.SymbolRefAttr.get([name, name])]),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, len(text.sources), 0, 0]),
        }
        with ir.InsertionPoint(before), before.location:
            run = ir.Operation.create("flow.dispatch", [text.result], text.sources, attributes)
        return executable, run.results[0]


def reshaped(ir: Any, tensor: Any, kind: Any) -> Any:
    """Return a tensor seen as another type of as many elements, by an operation where there is none."""
    seen = tensor
    while seen.type != kind and getattr(seen.owner, "name", "") == "flow.tensor.reshape":
        seen = seen.owner.operands[0]
    if seen.type == kind:
        return seen
    sizes = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0])}
    return ir.Operation.create("flow.tensor.reshape", [kind], [tensor], sizes).results[0]


def _seen(ir: Any, each: Input) -> Any:
    if each.box is not None:
        return each.tensor
    element = ir.RankedTensorType(each.tensor.type).element_type
    return reshaped(ir, each.tensor, ir.RankedTensorType.get(list(each.shape), element))


def _compute(ir: Any, made: Any, original: Any) -> None:
    """Have loops compute what others do."""
    (block,), (body,) = made.regions[0].blocks, original.regions[0].blocks
    (end,) = (each.operation for each in block)
    known = dict(zip(body.arguments, block.arguments, strict=True))
    *ops, last = (each.operation for each in body)
    with ir.InsertionPoint(end):
        for op in ops:
            operands = [_known(known, value) for value in op.operands]
            copy = op.clone()
            for place, value in enumerate(operands):
                copy.operands[place] = value
            known |= zip(op.results, copy.results, strict=True)
        end.operands[0] = _known(known, last.operands[0])


def _known(known: dict[Any, Any], value: Any) -> Any:
    """Return what stands for a value of a body; a constant from outside goes along."""
    if value not in known:
        known[value] = value.owner.clone().results[0]
    return known[value]


class _Text:
    """Writes the executable, without what loops compute: `loops` says whose bodies they take, in order."""

    def __init__(self, joined: Joined, sources: list[Any], seen: dict[Input, Any]) -> None:
        self.joined = joined
        self.sources = sources
        self.seen = seen
        self.loops: list[Elementwise] = []
        self.ir = bindings(joined.kind).ir
        self.lines: list[str] = []
        self.result = joined.kind

    def executable(self, name: str) -> str:
        """Return the text of an executable, whose function takes the sources and the result."""
        made = self._whole()
        if self.joined.then is not None:
            made = self._then(self.joined.then, made)
        place = _spelled(Box.whole(self.result.shape))
        target = f"!iree_tensor_ext.dispatch.tensor<writeonly:{self.result}>"
        self.lines.append(f"{STORE} {made}, %result, {place} : {self.result} -> {target}")
        arguments = [
            *(f"%source{i}: {self._kind(i)}" for i in range(len(self.sources))),
            f"%result: {target}",
        ]
        body = "\n".join(self.lines)
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

    def _kind(self, place: int) -> str:
        return f"!iree_tensor_ext.dispatch.tensor<readonly:{self.sources[place].type}>"

    def _whole(self) -> str:
        kind, joined = self.joined.kind, self.joined
        made = "%made"
        self.lines.append(f"%made = tensor.empty() : {kind}")
        if joined.number is not None:
            made = self._filled("%around", joined.number.owner.attributes["value"], kind)
        if joined.start is not None:
            made = self._load("%around", joined.start, Box.whole(kind.shape), kind)
        for number, part in enumerate(joined.parts):
            name = f"%part{number}"
            if part.source is None:
                self._filled(name, part.number, part.kind)
            elif part.made is None:
                self._load(name, part.source, part.read, part.kind)
            else:
                self._made(name, part, part.made)
            box = _in_brackets(part.written)
            self.lines.append(
                f"%next{number} = tensor.insert_slice {name} into {made}{box} : {part.kind} into {kind}"
            )
            made = f"%next{number}"
        return made

    def _filled(self, name: str, number: Any, kind: Any) -> str:
        self.lines += [
            f"{name}_number = arith.constant {number}",
            f"{name}_empty = tensor.empty() : {kind}",
            f"{name} = linalg.fill ins({name}_number : {number.type}) outs({name}_empty : {kind}) -> {kind}",
        ]
        return name

    def _load(self, name: str, source: Any, box: Box, kind: Any) -> str:
        place = self.sources.index(source)
        self.lines.append(f"{name} = {LOAD} %source{place}, {_spelled(box)} : {self._kind(place)} -> {kind}")
        return name

    def _made(self, name: str, part: Part, made: Elementwise) -> None:
        """Compute a part: the loops' elements of the box that is read."""
        kind = self.ir.RankedTensorType.get(list(part.read.sizes), part.kind.element_type)
        values = [self._input(f"{name}_{i}", each, part.read) for i, each in enumerate(made.inputs)]
        whole = name if kind == part.kind else f"{name}_made"
        self._loops(whole, made, values, kind)
        if kind != part.kind:
            box = _in_brackets(Box.whole(part.read.sizes))
            self.lines.append(f"{name} = tensor.extract_slice {whole}{box} : {kind} to {part.kind}")

    def _then(self, then: Elementwise, made: str) -> str:
        """Compute what is made of the whole."""
        self.result = self.ir.RankedTensorType.get(list(then.shape), then.element_type())
        values = []
        for i, each in enumerate(then.inputs):
            is_whole = i == self.joined.place
            value = self._input(f"%beside{i}", each, Box.whole(then.shape)) if not is_whole else None
            values.append(value or (made, self.joined.kind))
        self._loops("%then", then, values, self.result)
        return "%then"

    def _input(self, name: str, each: Input, box: Box) -> tuple[str, Any]:
        source = self.seen[each]
        element = self.ir.RankedTensorType(source.type).element_type
        part, sizes = each.part(box)
        kind = self.ir.RankedTensorType.get(sizes, element)
        return self._load(name, source, part, kind), kind

    def _loops(self, name: str, made: Elementwise, values: Sequence[tuple[str, Any]], kind: Any) -> None:
        dims = ", ".join(f"d{i}" for i in range(len(made.shape)))
        along = [*(each.loops for each in made.inputs), range(len(made.shape))]
        maps = [f"affine_map<({dims}) -> ({', '.join(f'd{i}' for i in each)})>" for each in along]
        kinds = ", ".join(['"parallel"'] * len(made.shape))
        names, types = (", ".join(str(value[i]) for value in values) for i in range(2))
        elements = [self.ir.RankedTensorType(value[1]).element_type for value in values]
        arguments = [
            *(f"%in{i}: {element}" for i, element in enumerate(elements)),
            f"%out: {kind.element_type}",
        ]
        self.lines += [
            f"{name}_empty = tensor.empty() : {kind}",
            f"{name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}",
            f"  ins({names} : {types}) outs({name}_empty : {kind}) {{",
            f"^bb0({', '.join(arguments)}): linalg.yield %out : {kind.element_type}",
            f"}} -> {kind}",
        ]
        self.loops.append(made)


def _spelled(box: Box) -> str:
    return ", ".join(f"{kind} = {list(n)}" for kind, n in zip(KINDS, box.lists(), strict=True))


def _in_brackets(box: Box) -> str:
    return " ".join(f"[{', '.join(map(str, each))}]" for each in box.lists())
