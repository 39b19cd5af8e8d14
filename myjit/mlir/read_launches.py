"""Read, out of IREE's program for the host, what it does on the device, where that is a straight line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from myjit.launches import Call, Command, Copy, Fill, Launch, Launches, Place, parse_call

#: Operations of the host that do nothing on the device, or that order what one stream orders anyway.
_SILENT = frozenset(
    (
        *("hal.buffer_view.assert", "hal.buffer.assert", "hal.device.allocator", "hal.memory_type"),
        *("hal.buffer_usage", "hal.element_type", "hal.encoding_type", "hal.fence.create", "hal.fence.await"),
        *("hal.fence.join", "hal.command_buffer.create", "hal.command_buffer.finalize"),
        *("hal.command_buffer.execution_barrier", "hal.command_buffer.begin_debug_group"),
        *("hal.command_buffer.end_debug_group", "hal.device.queue.dealloca", "hal.device.queue.barrier"),
        *(
            "arith.constant",
            "arith.extui",
            "hal.executable.lookup.function",
            "util.null",
            "util.status.check_ok",
            "util.return",
        ),
    )
)
_HANDLES = ("!hal.device", "!hal.executable", "!hal.command_buffer")


class _HostWorkError(Exception):
    """The host does more than to send commands."""


def read_launches(module: Any) -> Launches | None:
    """Return the commands of `main`, from a module after IREE's phase `hal`; None where they depend on
    what the host computes, such as sizes known only at the call."""
    try:
        return _Reader(module).read()
    except _HostWorkError:
        return None


class _Reader:
    """Follows `main` and the command buffers that it executes."""

    def __init__(self, module: Any) -> None:
        operations = [op.operation for op in module.body.operations]
        self.functions = {_name(op): op for op in operations if op.name == "util.func"}
        self.recorded = dict(_recorded(operations))
        self.executables: dict[str, int] = {}
        self.binaries: list[bytes] = []
        for op in operations:
            if op.name == "hal.executable":
                self._take_executable(op)
        self.places: dict[Any, Place] = {}
        self.count = 0
        self.given: set[int] = set()
        self.scratch: list[int] = []
        self.commands: list[Command] = []

    def read(self) -> Launches:
        main = self.functions.get("main")
        if main is None:
            raise _HostWorkError
        arguments = list(_body(main).arguments)
        if any(str(a.type) not in ("!hal.buffer_view", "!hal.buffer") for a in arguments):
            raise _HostWorkError
        self.places = {a: Place(i, 0) for i, a in enumerate(arguments)}
        self.count = len(arguments)
        self.given = {i for i, a in enumerate(arguments) if str(a.type) == "!hal.buffer"}
        self._follow(main, ())
        return Launches(self.count, tuple(self.scratch), tuple(self.commands), tuple(self.binaries))

    def _take_executable(self, op: Any) -> None:
        for binary in op.regions[0].blocks[0].operations:
            if binary.operation.name != "hal.executable.binary":
                continue
            name = f"@{_name(op)}::@{_name(binary)}"
            self.executables[name] = len(self.binaries)
            self.binaries.append(bytes(memoryview(binary.operation.attributes["data"])))

    def _follow(self, function: Any, bindings: Sequence[Place]) -> None:
        for item in _body(function).operations:
            op = item.operation
            if op.name in _SILENT:
                continue
            if op.name == "util.global.load" and str(op.results[0].type) in _HANDLES:
                continue
            step = _STEPS.get(op.name)
            if step is None:
                raise _HostWorkError
            step(self, op, bindings)

    def _pass_barrier(self, op: Any, _: Sequence[Place]) -> None:
        """Take what a barrier hides for what it is: a tensor, or a number (see `_constant`)."""
        for result, operand in zip(op.results, op.operands, strict=True):
            if operand in self.places:
                self.places[result] = self.places[operand]

    def _view_to_buffer(self, op: Any, _: Sequence[Place]) -> None:
        self.places[op.results[0]] = self._place(op.operands[0])

    def _check_view(self, op: Any, _: Sequence[Place]) -> None:
        """A result must be memory that the caller gave for it, from its start."""
        place = self._place(op.operands[0])
        if place.slot not in self.given or place.offset or _constant(op.operands[1]):
            raise _HostWorkError

    def _allocate(self, op: Any, _: Sequence[Place]) -> None:
        self.places[op.results[0]] = Place(self.count + len(self.scratch), 0)
        self.scratch.append(_constant(op.operands[-1]))

    def _execute(self, op: Any, _: Sequence[Place]) -> None:
        buffer, rest = op.operands[4], list(op.operands)[5:]
        third = len(rest) // 3
        bound = [
            self._shifted(self._place(value), offset)
            for value, offset in zip(rest[:third], rest[third : 2 * third], strict=True)
        ]
        owner = _owner(buffer)
        if owner is not None and owner.name == "util.call":
            recorder = _symbol(owner, "callee")
        elif owner is not None and owner.name == "util.global.load":
            recorder = self.recorded.get(_symbol(owner, "global"), "")
        else:
            raise _HostWorkError
        if recorder not in self.functions:
            raise _HostWorkError
        function = self.functions[recorder]
        if owner.name == "util.call":
            for argument, value in zip(_body(function).arguments, owner.operands, strict=True):
                self.places[argument] = self._place(value)
        self._follow(function, bound)

    def _record(self, op: Any, _: Sequence[Place]) -> None:
        """Pass over the call that records commands; where they are executed, they are followed."""
        if [str(result.type) for result in op.results] != ["!hal.command_buffer"]:
            raise _HostWorkError

    def _dispatch(self, op: Any, bindings: Sequence[Place]) -> None:
        lookup = _owner(op.operands[2])
        if lookup is None or lookup.name != "hal.executable.lookup.function":
            raise _HostWorkError
        executable, _, kernel = _symbol(lookup, "entry_point", whole=True).rpartition("::@")
        *_, constants, buffers, _, _ = segments = list(op.attributes["operandSegmentSizes"])
        at = sum(segments[:6])
        operands = list(op.operands)
        values = tuple(_constant(v) for v in operands[at : at + constants])
        at += constants
        places = tuple(
            self._shifted(self._bound(v, bindings), offset)
            for v, offset in zip(
                operands[at : at + buffers], operands[at + buffers : at + 2 * buffers], strict=True
            )
        )
        call = parse_call(kernel)
        if call is not None:
            self.commands.append(Call(*call, places))
            return
        x, y, z = (_constant(v) for v in operands[3:6])
        self.commands.append(Launch(self.executables[executable], kernel, (x, y, z), places, values))

    def _copy(self, op: Any, bindings: Sequence[Place]) -> None:
        _, source, source_at, target, target_at, length = op.operands
        self.commands.append(
            Copy(
                self._shifted(self._bound(source, bindings), source_at),
                self._shifted(self._bound(target, bindings), target_at),
                _constant(length),
            )
        )

    def _fill(self, op: Any, bindings: Sequence[Place]) -> None:
        _, target, at, length, pattern = op.operands
        place = self._shifted(self._bound(target, bindings), at)
        width = int(str(pattern.type).removeprefix("i")) // 8
        self.commands.append(Fill(place, _constant(length), _constant(pattern), width))

    def _place(self, value: Any) -> Place:
        for known, place in self.places.items():
            if known == value:
                return place
        raise _HostWorkError

    def _bound(self, value: Any, bindings: Sequence[Place]) -> Place:
        """Return the place that a command names, as a buffer or by its number in the binding table."""
        return bindings[_constant(value)] if str(value.type) == "index" else self._place(value)

    def _shifted(self, place: Place, offset: Any) -> Place:
        return Place(place.slot, place.offset + _constant(offset))


_STEPS = {
    "hal.buffer_view.buffer": _Reader._view_to_buffer,
    "hal.buffer_view.create": _Reader._check_view,
    "hal.device.queue.alloca": _Reader._allocate,
    "hal.device.queue.execute.indirect": _Reader._execute,
    "util.call": _Reader._record,
    "util.optimization_barrier": _Reader._pass_barrier,
    "hal.command_buffer.dispatch": _Reader._dispatch,
    "hal.command_buffer.copy_buffer": _Reader._copy,
    "hal.command_buffer.fill_buffer": _Reader._fill,
}


def _recorded(operations: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Yield, for each global that an initializer fills with what a function records, both names."""
    for op in operations:
        if op.name != "util.initializer":
            continue
        for item in op.regions[0].blocks[0].operations:
            store = item.operation
            source = _owner(store.operands[0]) if store.name == "util.global.store" else None
            if source is not None and source.name == "util.call":
                yield _symbol(store, "global"), _symbol(source, "callee")


def _body(function: Any) -> Any:
    blocks = list(function.regions[0].blocks)
    if len(blocks) != 1:
        raise _HostWorkError
    return blocks[0]


def _owner(value: Any) -> Any:
    """Return the operation that makes a value, None for an argument."""
    owner = value.owner
    return getattr(owner, "operation", owner) if not hasattr(owner, "arguments") else None


def _constant(value: Any) -> int:
    owner = _owner(value)
    if owner is not None and owner.name in ("util.optimization_barrier", "arith.extui"):
        return _constant(owner.operands[0])
    if owner is None or owner.name != "arith.constant":
        raise _HostWorkError
    return int(owner.attributes["value"].value)


def _name(op: Any) -> str:
    return op.attributes["sym_name"].value


def _symbol(op: Any, attribute: str, *, whole: bool = False) -> str:
    text = str(op.attributes[attribute])
    return text if whole else text.removeprefix("@")
