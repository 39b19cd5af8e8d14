"""Intel's AMX: eight registers that hold a matrix each, 16 rows of 64 bytes, and multiply those of bfloat16.

Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18. Instructions are
written as text: registers are numbered here, so that sums stay in theirs throughout loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from myjit.mlir.vector_code import Index, VectorCode

#: Rows of a register, bytes of a row, and pairs of bfloat16 in it.
ROWS, ROW_BYTES = 16, 64
#: Steps of a sum that one instruction adds up: as many pairs of them as there are rows.
STEPS = 2 * ROWS
_SHAPES_BYTES = 64
#: Where the description of the registers holds the bytes of their rows, and how many rows they have.
_BYTES_AT, _ROWS_AT = 16, 48


class MatrixCode:
    """Builds instructions of AMX at the current insertion point. Registers are numbers from 0 to 7."""

    def __init__(self, code: VectorCode) -> None:
        self.code = code
        word = code.ir.F32Type.get()
        self._before, self._shapes = (code.scratch(1, _SHAPES_BYTES // 4, word) for _ in range(2))

    def save_shapes(self) -> None:
        """Remember the shapes of registers that the thread had: libraries may count on finding theirs."""
        self._do("sttilecfg ($0)", self._before.pointer)

    def restore_shapes(self) -> None:
        """Give the registers the shapes of before."""
        self._do("ldtilecfg ($0)", self._before.pointer)

    def shape(self, rows: Sequence[int]) -> None:
        """Give each register so many rows, all of whole length, and clear them."""
        ir = self.code.ir
        image = bytearray(_SHAPES_BYTES)
        image[0] = 1
        for register, count in enumerate(rows):
            image[_BYTES_AT + 2 * register] = ROW_BYTES
            image[_ROWS_AT + register] = count
        word = ir.IntegerType.get_signless(32)
        numbers = [int.from_bytes(image[i : i + 4], "little") for i in range(0, _SHAPES_BYTES, 4)]
        kind = ir.VectorType.get([len(numbers)], word)
        value = ir.DenseElementsAttr.get([ir.IntegerAttr.get(word, n) for n in numbers], kind)
        self.code.put(self.code.op("arith.constant", [kind], value=value), self._shapes, 0, 0)
        self._do("ldtilecfg ($0)", self._shapes.pointer)

    def clear(self, register: int) -> None:
        self._do(f"tilezero %tmm{register}")

    def load(self, register: int, address: Any, step: Index) -> None:
        """Load rows that begin `step` bytes apart."""
        self._do(f"tileloadd ($0,$1), %tmm{register}", address, self._word(step))

    def store(self, register: int, address: Any, step: Index) -> None:
        """Store rows `step` bytes apart."""
        self._do(f"tilestored %tmm{register}, ($0,$1)", address, self._word(step))

    def multiply(self, left: int, right: int, total: int) -> None:
        """Add the product of two registers of pairs of bfloat16 to one of float32."""
        self._do(f"tdpbf16ps %tmm{right}, %tmm{left}, %tmm{total}")

    def address(self, memory: Any, place: Index) -> Any:
        """Return the address of the element `place` elements behind a memory's first one.

        IREE's pointer of a part of a binding is the binding's own.
        """
        code, ir = self.code, self.code.ir
        binding = memory
        while binding.owner.name == "memref.subview":
            binding = binding.owner.operands[0]
        if binding != memory:
            further = code.subtract(self._offset(memory), self._offset(binding))
            place = code.add(place, further)
        first = code.op("memref.extract_aligned_pointer_as_index", [ir.IndexType.get()], [binding])
        size = ir.MemRefType(memory.type).element_type.width // 8
        return self._pointer(code.add(first, code.multiply(place, size)))

    def _offset(self, memory: Any) -> Any:
        code, ir = self.code, self.code.ir
        kind = ir.MemRefType(memory.type)
        base = ir.MemRefType.get([], kind.element_type, memory_space=kind.memory_space)
        sizes_and_steps = [ir.IndexType.get()] * (2 * len(kind.shape))
        facts = [base, ir.IndexType.get(), *sizes_and_steps]
        return code.op("memref.extract_strided_metadata", facts, [memory])[1]

    def _pointer(self, place: Any) -> Any:
        return self.code.op("llvm.inttoptr", [self.code.ir.Type.parse("!llvm.ptr")], [self._word(place)])

    def _word(self, value: Index) -> Any:
        code = self.code
        word = code.ir.IntegerType.get_signless(64)
        return code.op("arith.index_cast", [word], [code.index(value)])

    def _do(self, text: str, *operands: Any) -> None:
        ir = self.code.ir
        constraints = [*["r"] * len(operands), "~{memory}"]
        self.code.op(
            "llvm.inline_asm",
            [],
            operands,
            asm_string=ir.StringAttr.get(text),
            constraints=ir.StringAttr.get(",".join(constraints)),
            has_side_effects=ir.UnitAttr.get(),
        )
