"""Build code of vectors and loops at the current insertion point; numbers stand for constants of indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.arithmetic import finds
from myjit.mlir.bodies import extracts
from myjit.mlir.tensors import constant, index, zero

#: A value of index type, or a number.
Index = Any


@dataclass(frozen=True)
class Scratch:
    """Memory of the stack: rows of `columns` elements of 32 bits, aligned to 64 bytes."""

    pointer: Any
    columns: int
    element: Any


class VectorCode:
    """Builds operations of `arith`, `memref`, `scf` and `vector`, for vectors of `width` elements."""

    def __init__(self, ir: Any, width: int) -> None:
        self.ir = ir
        self.width = width

    def op(self, name: str, kinds: Sequence[Any], operands: Sequence[Any] = (), **attributes: Any) -> Any:
        """Build an operation and return its results: one, or a list of another number."""
        results = self.ir.Operation.create(name, list(kinds), list(operands), attributes).results
        return results[0] if len(results) == 1 else list(results)

    def index(self, value: Index) -> Any:
        """Return a value of index type."""
        return index(self.ir, value) if isinstance(value, int) else value

    def vector(self, element: Any) -> Any:
        """Return the type of a vector of `width` elements."""
        return self.ir.VectorType.get([self.width], element)

    def add(self, left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return left + right
        if left == 0 or right == 0:
            return right if left == 0 else left
        return self._apply("arith.addi", left, right)

    def subtract(self, left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return left - right
        return self._apply("arith.subi", left, right)

    def beyond(self, left: Index, right: Index) -> Index:
        """Return how much larger the left one is, 0 where it is not."""
        return self.subtract(self.greatest(left, right), right)

    def multiply(self, left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        if left == 0 or right == 0:
            return 0
        if left == 1 or right == 1:
            return right if left == 1 else left
        return self._apply("arith.muli", left, right)

    def least(self, left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return min(left, right)
        return self._apply("arith.minui", left, right)

    def greatest(self, left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return max(left, right)
        return self._apply("arith.maxui", left, right)

    def divide(self, left: Index, right: int) -> tuple[Index, Index]:
        """Return the quotient and what is left over."""
        if isinstance(left, int) or right == 1:
            return divmod(left, right) if isinstance(left, int) else (left, 0)
        return self._apply("arith.divui", left, right), self._apply("arith.remui", left, right)

    def _apply(self, name: str, left: Index, right: Index) -> Any:
        return self.op(name, [self.ir.IndexType.get()], [self.index(left), self.index(right)])

    def loop(
        self,
        low: Index,
        high: Index,
        step: int,
        starts: Sequence[Any],
        body: Callable[..., Sequence[Any]],
    ) -> list[Any]:
        """Build a loop that carries values on; `body` takes its counter and them, and returns the next."""
        ir = self.ir
        bounds = [self.index(each) for each in (low, high, step)]
        kinds = [start.type for start in starts]
        made = ir.Operation.create("scf.for", kinds, [*bounds, *starts], regions=1)
        arguments = [ir.IndexType.get(), *kinds]
        block = made.regions[0].blocks.append(*arguments, arg_locs=[ir.Location.current] * len(arguments))
        with ir.InsertionPoint(block):
            ir.Operation.create("scf.yield", [], list(body(*block.arguments) or ()))
        return list(made.results)

    def sum(self, left: Any, right: Any) -> Any:
        """Add two vectors of floats."""
        return self.op("arith.addf", [left.type], [left, right])

    def splat(self, value: Any) -> Any:
        """Return a vector of equal elements."""
        return self.op("vector.broadcast", [self.vector(value.type)], [value])

    def zeros(self, element: Any, count: int) -> Any:
        """Return a vector of `count` zeros."""
        ir = self.ir
        kind = ir.VectorType.get([count], element)
        return constant(ir, kind, ir.DenseElementsAttr.get_splat(kind, zero(ir, element)))

    def mask(self, valid: Index, count: int) -> Any:
        """Return a mask of `count` places, of which the first `valid` are set."""
        kind = self.ir.VectorType.get([count], self.ir.IntegerType.get_signless(1))
        return self.op("vector.create_mask", [kind], [self.index(valid)])

    def element(self, memory: Any, at: Sequence[Index]) -> Any:
        """Load an element."""
        kind = self.ir.MemRefType(memory.type).element_type
        return self.op("memref.load", [kind], [memory, *map(self.index, at)])

    def load(self, memory: Any, at: Sequence[Index], mask: Any = None, count: int = 0) -> Any:
        """Load `count` elements that lie one after the other: `width` unless told; zeros where masked out."""
        element = self.ir.MemRefType(memory.type).element_type
        count = count or self.width
        kind = self.ir.VectorType.get([count], element)
        place = [memory, *map(self.index, at)]
        if mask is None:
            return self.op("vector.load", [kind], place)
        return self.op("vector.maskedload", [kind], [*place, mask, self.zeros(element, count)])

    def gather(self, memory: Any, at: Callable[[int], Sequence[Index]], mask: Any = None) -> Any:
        """Load `width` elements from where `at` says, one by one; zeros where masked out."""
        made = self.zeros(self.ir.MemRefType(memory.type).element_type, self.width)
        for lane in range(self.width):
            one = None if mask is None else self._slice(mask, lane)
            part = self.load(memory, at(lane), one, 1)
            places = {"offsets": self._numbers(lane), "strides": self._numbers(1)}
            made = self.op("vector.insert_strided_slice", [made.type], [part, made], **places)
        return made

    def lane(self, value: Any, number: int) -> Any:
        """Return an element of a vector."""
        place = self.ir.DenseI64ArrayAttr.get([number])
        element = self.ir.VectorType(value.type).element_type
        return self.op("vector.extract", [element], [value], static_position=place)

    def counted(self, first: Index) -> Any:
        """Return a vector of indices, each one more than that before it."""
        ir, kind = self.ir, self.vector(self.ir.IndexType.get())
        numbers = [ir.IntegerAttr.get(ir.IndexType.get(), i) for i in range(self.width)]
        steps = constant(ir, kind, ir.DenseElementsAttr.get(numbers, kind))
        return self.op("arith.addi", [kind], [self.splat(self.index(first)), steps])

    def _slice(self, value: Any, lane: int) -> Any:
        """Return a vector of one element of a vector."""
        kind = self.ir.VectorType.get([1], self.ir.VectorType(value.type).element_type)
        places = {"offsets": self._numbers(lane), "sizes": self._numbers(1), "strides": self._numbers(1)}
        return self.op("vector.extract_strided_slice", [kind], [value], **places)

    def _numbers(self, *numbers: int) -> Any:
        word = self.ir.IntegerType.get_signless(64)
        return self.ir.ArrayAttr.get([self.ir.IntegerAttr.get(word, number) for number in numbers])

    def store(self, value: Any, memory: Any, at: Sequence[Index], mask: Any = None) -> None:
        """Store a vector's elements one after the other, except those masked out."""
        place = [memory, *map(self.index, at)]
        if mask is None:
            self.op("vector.store", [], [value, *place])
        else:
            self.op("vector.maskedstore", [], [*place, mask, value])

    def load_every_other(self, memory: Any, at: Index, count: int) -> Any:
        """Load `count` elements, and skip one between each and the next; none behind the last is touched."""
        halves = [self.load(memory, [self.add(at, offset)], count=count) for offset in (0, count - 1)]
        order = [2 * i if 2 * i < count else 2 * i + 1 for i in range(count)]
        places = self.ir.DenseI64ArrayAttr.get(order)
        return self.op("vector.shuffle", [halves[0].type], halves, mask=places)

    def reversed(self, value: Any) -> Any:
        """Return a vector's elements, the last one first."""
        (count,) = self.ir.VectorType(value.type).shape
        return self._shuffled((value, value), range(count - 1, -1, -1))

    def store_every_other(self, value: Any, memory: Any, at: Index) -> None:
        """Store a vector's elements with one between each and the next, which stays as it is."""
        ir = self.ir
        kind = ir.VectorType(value.type)
        count = 2 * kind.shape[0]
        spread = ir.VectorType.get([count], kind.element_type)
        order = ir.DenseI64ArrayAttr.get([i // 2 for i in range(count)])
        chosen = ir.VectorType.get([count], ir.IntegerType.get_signless(1))
        bits = [ir.IntegerAttr.get(chosen.element_type, 1 - i % 2) for i in range(count)]
        mask = constant(ir, chosen, ir.DenseElementsAttr.get(bits, chosen))
        self.store(self.op("vector.shuffle", [spread], [value, value], mask=order), memory, [at], mask)

    def in_turn(self, one: Any, other: Any) -> Any:
        """Return the elements of two vectors, one of each after the other."""
        kind = self.ir.VectorType(one.type)
        (count,) = kind.shape
        order = self.ir.DenseI64ArrayAttr.get([i // 2 + i % 2 * count for i in range(2 * count)])
        both = self.ir.VectorType.get([2 * count], kind.element_type)
        return self.op("vector.shuffle", [both], [one, other], mask=order)

    def computed(self, loops: Any, values: Sequence[Any]) -> Any:
        """Apply what the body of loops does to single elements to vectors of them; return what it yields.

        The values are of its arguments but the last, and then of the elements that it looks up.
        """
        ir = self.ir
        (count,) = ir.VectorType(values[0].type).shape
        (block,) = loops.regions[0].blocks
        *body, end = (each.operation for each in block)
        found = [op.results[0] for op in extracts(loops)]
        known = dict(zip([*list(block.arguments)[:-1], *found], values, strict=True))
        for op in body:
            if finds(op):
                continue
            operands = [self._spread(known, value, count) for value in op.operands]
            kinds = [ir.VectorType.get([count], result.type) for result in op.results]
            attributes = {name: op.attributes[name] for name in op.attributes}
            if op.name == "arith.constant":
                value = ir.DenseElementsAttr.get_splat(kinds[0], attributes["value"])
                made = constant(ir, kinds[0], value)
            else:
                made = self.op(op.name, kinds, operands, **attributes)
            known[op.results[0]] = made
        return self._spread(known, end.operands[0], count)

    def _spread(self, known: dict[Any, Any], value: Any, count: int) -> Any:
        """Return a vector for a value; one from outside the block is repeated."""
        if value not in known:
            kind = self.ir.VectorType.get([count], value.type)
            known[value] = self.op("vector.broadcast", [kind], [value])
        return known[value]

    def scratch(self, rows: int, columns: int, element: Any) -> Scratch:
        """Take memory of the stack, as many rows of as many 32-bit elements.

        Not by `memref.alloca`, of which IREE allows a function 32 KB.
        """
        ir = self.ir
        word, pointer = ir.IntegerType.get_signless(64), ir.Type.parse("!llvm.ptr")
        count = constant(ir, word, ir.IntegerAttr.get(word, rows * columns))
        attributes = {"elem_type": ir.TypeAttr.get(element), "alignment": ir.IntegerAttr.get(word, 64)}
        return Scratch(self.op("llvm.alloca", [pointer], [count], **attributes), columns, element)

    def take(self, scratch: Scratch, row: Index, column: int) -> Any:
        """Load a vector from memory of the stack."""
        return self.op(
            "llvm.load",
            [self.vector(scratch.element)],
            [self.inside(scratch, row, column)],
            **self._aligned(column),
        )

    def put(self, value: Any, scratch: Scratch, row: Index, column: int) -> None:
        """Store a vector in memory of the stack."""
        self.op("llvm.store", [], [value, self.inside(scratch, row, column)], **self._aligned(column))

    def _aligned(self, column: int) -> dict[str, Any]:
        word = self.ir.IntegerType.get_signless(64)
        return {"alignment": self.ir.IntegerAttr.get(word, 4 if column % self.width else 4 * self.width)}

    def inside(self, scratch: Scratch, row: Index, column: int) -> Any:
        """Return the address of an element of memory of the stack."""
        ir = self.ir
        at = self.index(self.add(self.multiply(row, scratch.columns), column))
        at = self.op("arith.index_cast", [ir.IntegerType.get_signless(64)], [at])
        dynamic = ir.DenseI32ArrayAttr.get([-(2**31)])
        kinds = {"elem_type": ir.TypeAttr.get(scratch.element), "rawConstantIndices": dynamic}
        return self.op("llvm.getelementptr", [scratch.pointer.type], [scratch.pointer, at], **kinds)

    def transposed(self, rows: Sequence[Any]) -> list[Any]:
        """Return the columns of a square of vectors, swapping ever larger halves of pairs of rows."""
        count = len(rows)
        rows, distance = list(rows), 1
        while distance < count:
            lower = [j if not j & distance else count + j - distance for j in range(count)]
            upper = [j + distance if not j & distance else count + j for j in range(count)]
            for i in range(count):
                if not i & distance:
                    pair = rows[i], rows[i + distance]
                    rows[i], rows[i + distance] = (self._shuffled(pair, order) for order in (lower, upper))
            distance *= 2
        return rows

    def _shuffled(self, pair: Sequence[Any], order: Sequence[int]) -> Any:
        places = self.ir.DenseI64ArrayAttr.get(list(order))
        return self.op("vector.shuffle", [pair[0].type], pair, mask=places)

    def interleaved(self, pair: Sequence[Any], apart: int = 1) -> Any:
        """Return the elements of two vectors in turn: all, or `width` so far `apart`."""
        ir, count = self.ir, self.width
        kind = ir.VectorType.get([2 * count], ir.VectorType(pair[0].type).element_type)
        order = [apart * (i // 2 + count * (i % 2)) for i in range(2 * count)]
        return self.op("vector.shuffle", [kind], pair, mask=ir.DenseI64ArrayAttr.get(order))

    def first_word(self, pair: Any) -> Any:
        """Return the 32 bits of a vector of two elements of 16, as an integer."""
        word = self.ir.IntegerType.get_signless(32)
        return self.lane(self.op("vector.bitcast", [self.ir.VectorType.get([1], word)], [pair]), 0)

    def multiply_pairs(self, left: Any, right: Any, total: Any) -> Any:
        """Add the products of pairs of bfloat16, each pair an integer of 32 bits, to a vector of float32."""
        ir = self.ir
        halves = ir.VectorType.get([2 * self.width], ir.BF16Type.get())
        sides = [self.op("vector.bitcast", [halves], [each]) for each in (left, right)]
        return self.op(
            "llvm.call_intrinsic",
            [total.type],
            [total, *sides],
            intrin=ir.StringAttr.get("llvm.x86.avx512bf16.dpbf16ps.512"),
            operandSegmentSizes=ir.DenseI32ArrayAttr.get([3, 0]),
            op_bundle_sizes=ir.DenseI32ArrayAttr.get([]),
        )
