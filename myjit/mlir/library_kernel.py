"""Kernels that have their matrices multiplied by functions of the process that they run in.

IREE's modules reach outside through addresses: the runtime hands them in as the parameter `ADDRESSES` when it
loads the module. One kernel does for all products of a type: sizes and steps are constants of the dispatch,
and each workgroup multiplies one matrix of a batch. The functions called have threads of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.parameters import ADDRESSES, TABLE, parameter_global
from myjit.mlir.teams import OWN_THREADS
from myjit.mlir.tensors import constant, dynamic_sizes, index

#: The numbers of a dispatch, in elements: sizes of the product, the step from one row (of a transposed side:
#: one column) to the next of each tensor, whether a side is transposed, how often the inner of two loops over
#: batches runs, and the steps of both for each tensor.
NUMBERS = (
    *("rows", "columns", "depth"),
    *("left_step", "right_step", "result_step"),
    *("left_transposed", "right_transposed"),
    *("inner_batches", "left_outer", "right_outer", "result_outer"),
    *("left_inner", "right_inner", "result_inner"),
)
_STEPS = ("left_step", "right_step", "result_step")
#: Those that BLAS takes, as 32 bits.
_CHECKED = ("rows", "columns", "depth", *_STEPS)

_ARGUMENTS = 13
# How C calls a function with so many arguments on x86-64. MLIR's own call of an address does not pass IREE's
# code generator (ResolveWorkgroupCountHints, 3.13). Six arguments go into registers and the others on the
# stack, which is aligned, and below which 128 bytes may be in use.
_CALL = "\\0A ".join(
    [
        "movq %rsp, %rbx",
        "leaq -128(%rsp), %rsp",
        "andq $$-64, %rsp",
        "subq $$8, %rsp",
        *(f"pushq {8 * i}(%r12)" for i in range(_ARGUMENTS - 1, 5, -1)),
        *(f"movq {8 * i}(%r12), %{r}" for i, r in enumerate(("rdi", "rsi", "rdx", "rcx", "r8", "r9"))),
        "xorl %eax, %eax",
        "callq *%r13",
        "movq %rbx, %rsp",
    ]
)
_CLOBBERED = ",".join(
    f"~{{{name}}}"
    for name in (
        *("rbx", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11"),
        *(f"xmm{i}" for i in range(16)),
        *("memory", "dirflag", "fpsr", "flags"),
    )
)
_TABLE_GLOBAL = "myjit_library"
_BYTES = {"f32": 4, "bf16": 2, "f16": 2}
_TABLE_TYPE = f"tensor<{len(TABLE)}xi64>"
_KERNEL_SOURCE = """
#layout = #hal.pipeline.layout<constants = {count}, bindings = [
  #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>
hal.executable.source private @{name} {{
  hal.executable.export public @{name} ordinal(0) layout(#layout)
      count(%device: !hal.device, %batches: index) -> (index, index, index) {{
    %one = arith.constant 1 : index
    hal.return %batches, %one, %one : index, index, index
  }} attributes {{{own_threads}}}
  builtin.module {{
    func.func @{name}() attributes {{
        translation_info = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline>}} {{
      %zero = arith.constant 0 : index
{body}
      return
    }}
  }}
}}
"""


def add_library_kernels(module: Any, elements: Sequence[str]) -> None:
    """Add to a module the kernels for sides of each type, and the addresses that they take."""
    ir = bindings(module).ir
    source = "\n".join(
        [
            parameter_global(_TABLE_GLOBAL, ADDRESSES, _TABLE_TYPE),
            *(_kernel(element) for element in elements),
        ]
    )
    top = ir.InsertionPoint.at_block_begin(module.body)
    for op in ir.Module.parse(source, module.context).body.operations:
        op.operation.clone(top)


def call_library_kernel(sides: Sequence[Any], start: Any, numbers: dict[str, Any], batches: Any) -> Any:
    """Build a dispatch of the kernel for `sides`; return what it gives, of the type and the sizes of `start`.

    `numbers` are those of `NUMBERS`: known ones, or values of index type, of which the program checks that
    BLAS can count so far.
    """
    ir = bindings(start).ir
    name = _name(str(ir.RankedTensorType(sides[0].type).element_type))
    table = {"global": ir.FlatSymbolRefAttr.get(_TABLE_GLOBAL)}
    loaded = ir.Operation.create("util.global.load", [ir.Type.parse(_TABLE_TYPE)], attributes=table).result
    words = [word for number in NUMBERS for word in _words(ir, numbers[number])]
    for number in _CHECKED:
        if not isinstance(numbers[number], int):
            _check(ir, numbers[number])
    arguments = [*words, loaded, *sides]
    sizes = [each for side in sides for each in dynamic_sizes(side)]
    results = dynamic_sizes(start)
    attributes = {
        "entry_points": ir.ArrayAttr.get([ir.SymbolRefAttr.get([name, name])]),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, len(arguments), len(sizes), len(results)]),
    }
    workload = index(ir, batches) if isinstance(batches, int) else batches
    operands = [workload, *arguments, *sizes, *results]
    return ir.Operation.create("flow.dispatch", [start.type], operands, attributes).result


def _words(ir: Any, number: Any) -> list[Any]:
    """Build the lower and the upper half of a number."""
    half, whole = (ir.IntegerType.get_signless(bits) for bits in (32, 64))
    if isinstance(number, int):
        return [constant(ir, half, ir.IntegerAttr.get(half, part)) for part in (number % 2**32, number >> 32)]

    def build(name: str, kind: Any, *operands: Any) -> Any:
        return ir.Operation.create(name, [kind], list(operands)).results[0]

    value = build("arith.index_cast", whole, number)
    upper = build("arith.shrui", whole, value, constant(ir, whole, ir.IntegerAttr.get(whole, 32)))
    return [build("arith.trunci", half, part) for part in (value, upper)]


def _check(ir: Any, number: Any) -> None:
    bit, word = (ir.IntegerType.get_signless(bits) for bits in (1, 64))
    less = {"predicate": ir.IntegerAttr.get(word, 6)}
    fits = ir.Operation.create("arith.cmpi", [bit], [number, index(ir, 2**31)], less).results[0]
    message = {"msg": ir.StringAttr.get("a matrix has more rows, columns or steps than BLAS can count")}
    ir.Operation.create("cf.assert", [], [fits], message)


def _name(element: str) -> str:
    return f"myjit_gemm_{element}"


def _kernel(element: str) -> str:
    """Write the kernel for sides of a type, as MLIR."""
    to = _Body()
    given = {}
    for i, name in enumerate(NUMBERS):
        lower, upper = (
            to.add(f"hal.interface.constant.load layout(#layout) ordinal({2 * i + half}) : i32")
            for half in (0, 1)
        )
        lower, upper = (to.add(f"arith.extui {half} : i32 to i64") for half in (lower, upper))
        upper = to.apply("shli", upper, to.number(32))
        given[name] = to.apply("ori", lower, upper)
    for name in _STEPS:  # BLAS takes none of 0, which those of tensors without elements are
        given[name] = to.apply("maxui", given[name], to.number(1))
    table, *tensors = (
        to.add(
            f"hal.interface.binding.subspan layout(#layout) binding({i}) alignment({alignment}) "
            f"offset(%zero) : memref<{kind}>"
        )
        for i, (alignment, kind) in enumerate([(8, f"{len(TABLE)}xi64"), *[(64, "1xi8")] * 3])
    )
    multiply = to.entry(table, element)
    batch = to.workgroup()
    outer, inner = (to.apply(op, batch, given["inner_batches"]) for op in ("divui", "remui"))
    one, zero = to.number(1), to.number(0)
    starts = []
    for name, tensor in zip(("left", "right", "result"), tensors, strict=True):
        address = to.add(f"memref.extract_aligned_pointer_as_index {tensor} : memref<1xi8> -> index")
        address = to.add(f"arith.index_cast {address} : index to i64")
        offset = to.sum((outer, given[f"{name}_outer"]), (inner, given[f"{name}_inner"]))
        size = to.number(_BYTES["f32" if name == "result" else element])
        starts.append(to.sum((address, one), (offset, size)))
    yes, no = to.number(ord("T")), to.number(ord("N"))
    letters = [to.either(given[f"{side}_transposed"], yes, no) for side in ("left", "right")]
    one_f32 = to.number(0x3F800000)
    # BLAS goes by columns where these are rows, so it gets the transposed product: of the right and the left.
    left_letter, right_letter, n, m, k, alpha, right_step, left_step, beta, result_step = to.slots(
        [
            *letters,
            given["columns"],
            given["rows"],
            given["depth"],
            one_f32,
            given["right_step"],
            given["left_step"],
            zero,
            given["result_step"],
        ]
    )
    left, right, result = starts
    to.call(
        multiply,
        [
            right_letter,
            left_letter,
            n,
            m,
            k,
            alpha,
            right,
            right_step,
            left,
            left_step,
            beta,
            result,
            result_step,
        ],
    )
    return _KERNEL_SOURCE.format(
        count=2 * len(NUMBERS), name=_name(element), body="\n".join(to.lines), own_threads=OWN_THREADS
    )


class _Body:
    """Writes the operations of a kernel. Values are i64."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, text: str) -> str:
        """Append an operation and return its value."""
        self.lines.append(f"      %v{len(self.lines)} = {text}")
        return f"%v{len(self.lines) - 1}"

    def number(self, value: int) -> str:
        return self.add(f"arith.constant {value} : i64")

    def apply(self, op: str, left: str, right: str) -> str:
        return self.add(f"arith.{op} {left}, {right} : i64")

    def sum(self, *terms: tuple[str, str]) -> str:
        """Add up products of two."""
        return reduce(lambda a, b: self.apply("addi", a, b), [self.apply("muli", *term) for term in terms])

    def either(self, flag: str, yes: str, no: str) -> str:
        chosen = self.add(f"arith.trunci {flag} : i64 to i1")
        return self.add(f"arith.select {chosen}, {yes}, {no} : i64")

    def entry(self, table: str, name: str) -> str:
        index = self.add(f"arith.constant {TABLE.index(name)} : index")
        return self.add(f"memref.load {table}[{index}] : memref<{len(TABLE)}xi64>")

    def workgroup(self) -> str:
        number = self.add("hal.interface.workgroup.id[0] : index")
        return self.add(f"arith.index_cast {number} : index to i64")

    def slots(self, values: Sequence[str]) -> list[str]:
        """Put values into memory and return their addresses."""
        size = self.add(f"llvm.mlir.constant({len(values)} : i32) : i32")
        memory = self.add(f"llvm.alloca {size} x i64 : (i32) -> !llvm.ptr")
        found = []
        for i, value in enumerate(values):
            slot = self.add(f"llvm.getelementptr {memory}[{i}] : (!llvm.ptr) -> !llvm.ptr, i64")
            self.lines.append(f"      llvm.store {value}, {slot} : i64, !llvm.ptr")
            found.append(self.add(f"llvm.ptrtoint {slot} : !llvm.ptr to i64"))
        return found

    def call(self, function: str, arguments: Sequence[str]) -> None:
        """Call the function at an address."""
        given = self.slots(arguments)[0]
        self.add(
            f'llvm.inline_asm has_side_effects "{_CALL}", "={{ax}},{{r12}},{{r13}},{_CLOBBERED}" '
            f"{given}, {function} : (i64, i64) -> i64"
        )
