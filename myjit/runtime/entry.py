"""Write the function that calls a partition, specialised to its signature.

A generic loop over inputs and outputs costs more than a small partition's own work: each Python
frame, check and table lookup shows. So the way in and out is generated once, as straight-line code.
"""

from __future__ import annotations

import ast
import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from myjit.artifact import Signature, TensorSpec
from myjit.errors import LoadError
from myjit.runtime.accelerator import allocator
from myjit.runtime.interop import ALIGNMENT, to_dlpack, torch_dtype

#: What a size may be made of; anything else would be somebody else's code.
_ARITHMETIC = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.USub,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
    ast.Mod,
    ast.Pow,
    ast.Constant,
    ast.Name,
    ast.Load,
    ast.Call,
)

#: Where tensors lie whose memory IREE imports by its address.
HOST = torch.device("cpu")

_BODY = """\
def entry(args):
    [{arguments}] = args
    state = None
    try:
        try:
            state = take()
        except IndexError:
            state = load({weights})
{reload}        arguments = variant_list({arity})
        push = arguments.push_ref
{inputs}
{outputs}
        results = variant_list({results})
        state.invoke(state.function, arguments, results)
{fetched}
    except Exception as error:
        return fail([{arguments}], state, error)
    except BaseException:
        lose(state)
        raise
    state.calls += 1
{flagged}
    give_back(state)
{refused}    args.clear()
    return [{values}]
"""


def generate_entry(
    signature: Signature,
    static_inputs: frozenset[int],
    services: dict[str, Any],
    place: torch.device = HOST,
    *,
    mirrored: bool = False,
) -> Callable[[list[Any]], list[torch.Tensor]]:
    """Compile the entry of a signature.

    `services` are what it calls: `take`, `give_back` and `load` for the state of one call (a VM context
    and what belongs to it), `reload` where a held input has changed, `fail` for whatever is
    raised, `lose` where a call is interrupted, `refuse` for calls with an index out of range, `copied` for
    inputs that cannot be imported where they are, `view` and `room` for an input and an output at a new
    address, `keep` for static inputs in a device's memory, `export` for results whose size only the compiled
    code knows, `written` for inputs that it has written into, and `variant_list`. `place` is the device that
    the tensors are on; `mirrored` says that the compiled code works on copies of them (`mirrors.py`).

    Raises:
        LoadError: an output's size is not arithmetic over the signature's symbols.
    """
    names = dict(services)
    names["to_dlpack"] = to_dlpack
    names["empty"] = torch._C._dynamo.guards._empty_strided_cpu if place == HOST else allocator(place)
    passed = [(i, s) for i, s in enumerate(signature.inputs) if i not in signature.held]
    take_in = _mirror if mirrored else _input if place == HOST else partial(_on_device, static_inputs)
    inputs: list[str] = []
    for i, spec in passed:
        lines = take_in(i, spec)
        is_written = any(i == given for _, given in signature.in_place)
        inputs += _remembered(i, lines) if is_written else lines
    inputs += [_symbol(*symbol) for symbol in signature.symbols]
    outputs: list[str] = []
    fetched: list[str] = []
    arity = len(signature.inputs)
    results = len(signature.outputs) - signature.guarded
    for index in signature.bound:
        if index < results:
            spec = signature.outputs[index]
            outputs += allocation(index, spec, signature, names)
            if mirrored:
                outputs.append(f"push(state.mirrors.room({arity + index}, {_dense(index, spec)}))")
                fetched.append(f"({arity + index}, {_dense(index, spec)}), ")
            else:
                outputs += _import(index, spec, names) if place == HOST else _import_on_device(index, spec)
    if signature.guarded:
        outputs.append("push(state.guard_memory)")
    values = [_value(i, signature) for i in range(results)]
    arguments = ", ".join(f"arg{i}" for i in range(arity))
    refused = f"    if refused:\n        return refuse([{arguments}])\n" if signature.guarded else ""
    source = _BODY.format(
        arguments=arguments,
        weights=f"({_commas([f'arg{i}' for i in signature.held])})" if signature.held else "",
        reload="".join(f"        {line}\n" for line in _reload(signature.held)),
        arity=len(passed) + len(signature.bound),
        inputs="\n".join(f"        {line}" for line in inputs),
        outputs="\n".join(f"        {line}" for line in outputs),
        results=len(signature.outputs),
        fetched=f"        state.mirrors.fetch(({''.join(fetched)}))" if mirrored else "",
        flagged="    refused = state.guard[0]" if signature.guarded else "",
        refused=refused,
        values=", ".join(values),
    )
    exec(compile(source, "<myjit entry>", "exec"), names)  # noqa: S102 (sizes are checked, the rest is ours)
    return names["entry"]


def _input(index: int, spec: TensorSpec | str) -> list[str]:
    """Pass an input on by its address: what IREE knows of memory there is kept, and nothing else of it."""
    name = f"arg{index}"
    if not isinstance(spec, TensorSpec):
        return _scalar(name, spec)
    if _may_be_empty(spec):
        return _through_dlpack(name, spec)
    sizes = tuple(int(size) for size in spec.shape)
    dense = "is_contiguous()"
    if spec.is_permuted:
        dense = f"stride() == {tuple(_strides(sizes, spec.order))}"
    return [
        "known = None",
        f"if {name}.shape == {sizes} and {name}.{dense}:",
        f"    known = state.views[{index}].get({name}.data_ptr())",
        "if known is None:",
        *(f"    {line}" for line in importable("tensor", name, spec)),
        f"    known = view(state, {index}, {name}, tensor)",
        "push(known)",
    ]


def _remembered(index: int, lines: list[str]) -> list[str]:
    """Remember, of an input that is written into, which tensor is: a copy, where it cannot be that one."""
    return [f"tensor = arg{index}", *lines, f"used{index} = tensor"]


def _value(index: int, signature: Signature) -> str:
    """Return the expression of a result."""
    given = dict(signature.in_place).get(index)
    if given is not None:
        return f"written(state, results, {index}, arg{given}, used{given})"
    return f"out{index}" if index in signature.bound else f"export(state, results, {index})"


def _on_device(static_inputs: frozenset[int], index: int, spec: TensorSpec | str) -> list[str]:
    """Pass an input on that is in a device's memory: only DLPack brings that in, and holds on to it."""
    name = f"arg{index}"
    if not isinstance(spec, TensorSpec):
        return _scalar(name, spec)
    if index in static_inputs:
        return [
            f"kept = state.kept[{index}]",
            f"if kept[0]() is not {name} or kept[1] != {name}.data_ptr():",
            f"    kept = keep(state, {index}, {name})",
            "push(kept[2])",
        ]
    return _through_dlpack(name, spec)


def _through_dlpack(name: str, spec: TensorSpec) -> list[str]:
    return [*importable("tensor", name, spec), "push(state.import_tensor(to_dlpack(tensor)))"]


def _may_be_empty(spec: TensorSpec) -> bool:
    return not spec.is_static or 0 in spec.shape


def importable(tensor: str, given: str, spec: TensorSpec) -> list[str]:
    """Return the lines that make `tensor` of what is `given`: in memory order, copied where it has to be.

    The address 0, of no memory, counts as one that has to be: copying tells what is wrong.
    """
    # Any strides of nothing are contiguous, but not to IREE.
    empty = f" or not {tensor}.numel()" if _may_be_empty(spec) else ""
    return [
        f"{tensor} = {given}.permute({spec.order})" if spec.is_permuted else f"{tensor} = {given}",
        f"if ({tensor}.data_ptr() or 1) % {ALIGNMENT} or not {tensor}.is_contiguous(){empty}:",
        f"    {tensor} = copied(state, {tensor})",
    ]


def _reload(held: Sequence[int]) -> list[str]:
    """Return the lines that load the module again when an input that it holds has changed."""
    if not held:
        return []
    changed = [
        f"arg{i} is not held[{n}][0] or arg{i}.data_ptr() != held[{n}][1] or arg{i}._version != held[{n}][2]"
        for n, i in enumerate(held)
    ]
    weights = _commas([f"arg{i}" for i in held])
    return ["held = state.held", f"if {' or '.join(changed)}:", f"    state = reload(state, ({weights}))"]


def _scalar(name: str, kind: str) -> list[str]:
    return [f"arguments.push_float({name})" if kind == "float" else f"arguments.push_int({name}.__int__())"]


def _mirror(index: int, spec: TensorSpec | str) -> list[str]:
    """Pass a copy of an input on."""
    name = f"arg{index}"
    if not isinstance(spec, TensorSpec):
        return _scalar(name, spec)
    tensor = f"{name}.permute({spec.order})" if spec.is_permuted else name
    return [f"push(state.mirrors.send({index}, {tensor}))", f"state.bytes_copied += {name}.nbytes"]


def _symbol(name: str, index: int, dim: int) -> str:
    return f"{name} = arg{index}" if dim < 0 else f"{name} = arg{index}.shape[{dim}]"


def allocation(index: int, spec: TensorSpec, signature: Signature, names: dict[str, Any]) -> list[str]:
    """Return the lines that allocate an output with its strides, as `out<index>`."""
    names[f"dtype{index}"] = torch_dtype(spec.dtype)
    if spec.is_static:
        sizes = [int(size) for size in spec.shape]
        strides = _strides(sizes, spec.order)
        return [f"out{index} = empty({tuple(sizes)}, {tuple(strides)}, dtype{index})"]
    for size in spec.shape:
        _check(str(size), {symbol for symbol, _, _ in signature.symbols})
    sizes = [f"size{index}_{d}" for d in range(len(spec.shape))]
    lines = [f"{name} = {size}" for name, size in zip(sizes, spec.shape, strict=True)]
    stride = "1"
    strides = [""] * len(sizes)
    for dim in reversed(spec.order):
        strides[dim] = f"stride{index}_{dim}"
        lines.append(f"{strides[dim]} = {stride}")
        stride = f"{strides[dim]} * max({sizes[dim]}, 1)"
    return [*lines, f"out{index} = empty(({_commas(sizes)}), ({_commas(strides)}), dtype{index})"]


def _import(index: int, spec: TensorSpec, names: dict[str, Any]) -> list[str]:
    """Pass an output's memory on, in the host's: by its address, as an input's."""
    if spec.is_static:
        return [
            f"known = state.rooms[{index}].get(out{index}.data_ptr())",
            f"push(room(state, {index}, out{index}) if known is None else known)",
        ]
    names["chars"] = ctypes.c_char
    return [
        f"memory = (chars * out{index}.nbytes).from_address(out{index}.data_ptr())",
        "push(state.import_memory(memory, state.memory_type, state.usage))",
    ]


def _import_on_device(index: int, spec: TensorSpec) -> list[str]:
    """Pass an output's memory on, in a device's: only DLPack brings that in, and only contiguous."""
    return [f"push(state.import_tensor(to_dlpack({_dense(index, spec)})).get_buffer())"]


def _dense(index: int, spec: TensorSpec) -> str:
    return f"out{index}.permute({spec.order})" if spec.is_permuted else f"out{index}"


def _commas(parts: Sequence[str]) -> str:
    return "".join(f"{part}, " for part in parts)


def _strides(sizes: Sequence[int], order: Sequence[int]) -> list[int]:
    strides, stride = [0] * len(sizes), 1
    for dim in reversed(order):
        strides[dim] = stride
        stride *= max(sizes[dim], 1)
    return strides


def _check(size: str, symbols: set[str]) -> None:
    for node in ast.walk(ast.parse(size, mode="eval")):
        known = not isinstance(node, ast.Name) or node.id in symbols | {"max", "min"}
        if not isinstance(node, _ARITHMETIC) or not known:
            raise LoadError(f"the output size {size} is not arithmetic over {sorted(symbols)}")
