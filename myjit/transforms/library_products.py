"""Leave matrix products to the device maker's library, called among the program's own kernels.

Each product of known sizes becomes a `hal.dispatch.extern` whose kernel's name says what to compute; when
the launches are read, it turns into a library call (`myjit/launches.py`). Transposes, casts up and the bias
of a linear layer go into the call: reading transposed costs a library nothing.

It does nothing unless the module carries the attribute `myjit.executable_target`: only programs that will
be read as launches do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.launches import call_name
from myjit.mlir.context import bindings
from myjit.mlir.external_call import TARGET_ATTRIBUTE, call_externally
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

#: Numbers of element types in a call's name.
ELEMENTS = {"f32": 0, "f16": 1, "bf16": 2}

_PRODUCTS = {"linalg.matmul": 2, "linalg.batch_matmul": 3}


@dataclass(frozen=True)
class LibraryProducts(Pass):
    """Replace matrix products by calls of the device's library."""

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module in place."""
        attributes = module.operation.attributes
        if TARGET_ATTRIBUTE not in attributes:
            return
        target = str(attributes[TARGET_ATTRIBUTE])
        found = [op for op in operations(module.operation) if op.name in _PRODUCTS]
        for op in found:
            product = _product(op)
            if product is not None:
                product.replace(target)


@dataclass
class _Operand:
    """A factor as it lies in memory, and whether that is transposed."""

    value: Any
    transposed: bool


@dataclass
class _Product:
    """One product, what it is made of, and the value that the call takes the place of."""

    op: Any
    left: _Operand
    right: _Operand
    bias: Any
    result: Any

    def numbers(self) -> dict[str, int]:
        """Return the numbers of the call: sizes, transposes, element types, whether there is a bias."""
        *batch, rows, columns = _sizes(self.op.results[0])
        return {
            "batch": batch[0] if batch else 1,
            "m": rows,
            "n": columns,
            "k": _sizes(self.op.operands[0])[-1],
            "ta": int(self.left.transposed),
            "tb": int(self.right.transposed),
            "factors": ELEMENTS[_element(self.left.value)],
            "result": ELEMENTS[_element(self.result)],
            "bias": int(self.bias is not None),
        }

    def replace(self, target: str) -> None:
        """Put the call in place of the result."""
        given = [self.left.value, self.right.value, *([self.bias] if self.bias is not None else [])]
        name = call_name("matmul", self.numbers())
        called = call_externally(self.result, name, given, target)
        self.result.replace_all_uses_with(called)


def _product(op: Any) -> _Product | None:
    """Take a product apart; None where the library is not known to do the same."""
    result = op.results[0]
    if not _is_plain(op) or any(size < 1 for v in op.operands for size in _sizes(v)):
        return None
    left, right = _operand(op.operands[0]), _operand(op.operands[1])
    if _element(left.value) != _element(right.value):
        left, right = _operand(op.operands[0], casts=False), _operand(op.operands[1], casts=False)
    element = _element(left.value)
    if (
        element != _element(right.value)
        or element not in ELEMENTS
        or _element(result) not in ("f32", element)
    ):
        return None
    product = _Product(op, left, right, None, result)
    _take_bias(product)
    if element != "f32" and _element(product.result) == "f32":
        _take_cast_down(product, element)
    return product


def _is_plain(op: Any) -> bool:
    """Tell whether a product starts from zero, and its operands are read in their own order."""
    rank = _PRODUCTS[op.name]
    start = _owner(op.operands[2])
    if start is None or start.name != "linalg.fill" or not _is_zero(start.operands[0]):
        return False
    if "indexing_maps" not in op.attributes:
        return True
    rows, columns, inner = f"d{rank - 2}", f"d{rank - 1}", f"d{rank}"
    wanted = ([rows, inner], [inner, columns], [rows, columns])
    return all(
        [str(r) for r in entry.value.results][-2:] == two
        for entry, two in zip(op.attributes["indexing_maps"], wanted, strict=True)
    )


def _operand(value: Any, *, casts: bool = True) -> _Operand:
    """Look through casts up to f32 and through transposes of the last two dimensions."""
    transposed = False
    while True:
        owner = _owner(value)
        if owner is not None and owner.name == "linalg.transpose" and _swaps_last(owner):
            transposed = not transposed
            value = owner.operands[0]
        elif casts and owner is not None and _is_elementwise(owner, "arith.extf") and _to_f32(owner):
            value = owner.operands[0]
        else:
            return _Operand(value, transposed)


def _take_bias(product: _Product) -> None:
    """Take in a sum with one number a column, where it is the only use of the product."""
    use = _only_use(product.result)
    if use is None or not _adds_columns(use, product.result):
        return
    half = _element(product.left.value)
    bias = use.operands[1]
    owner = _owner(bias)
    if half == "f32":
        product.bias, product.result = bias, use.results[0]
    elif owner is not None and _is_elementwise(owner, "arith.extf") and _element(owner.operands[0]) == half:
        after = _only_use(use.results[0])
        if (
            after is not None
            and _is_elementwise(after, "arith.truncf")
            and _element(after.results[0]) == half
        ):
            product.bias, product.result = owner.operands[0], after.results[0]


def _take_cast_down(product: _Product, element: str) -> None:
    after = _only_use(product.result)
    if after is not None and _is_elementwise(after, "arith.truncf") and _element(after.results[0]) == element:
        product.result = after.results[0]


def _adds_columns(op: Any, product: Any) -> bool:
    """Tell whether an operation adds to a product of two dimensions a vector along its columns."""
    if op.name != "linalg.generic" or len(op.operands) != 3 or op.operands[0] != product:
        return False
    maps = [[str(r) for r in entry.value.results] for entry in op.attributes["indexing_maps"]]
    body = list(op.regions[0].blocks[0].operations)
    if maps != [["d0", "d1"], ["d1"], ["d0", "d1"]] or len(body) != 2:
        return False
    arguments = list(op.regions[0].blocks[0].arguments)
    added = body[0].operation
    return added.name == "arith.addf" and {*added.operands} == {*arguments[:2]}


def _is_elementwise(op: Any, name: str) -> bool:
    """Tell whether an operation does `name` to each element of one tensor, in its own order."""
    if op.name != "linalg.generic" or len(op.operands) != 2:
        return False
    dims = [f"d{i}" for i in range(len(_sizes(op.results[0])))]
    maps = [[str(r) for r in entry.value.results] for entry in op.attributes["indexing_maps"]]
    body = [o.operation for o in op.regions[0].blocks[0].operations]
    return maps == [dims, dims] and len(body) == 2 and body[0].name == name


def _to_f32(op: Any) -> bool:
    return _element(op.results[0]) == "f32" and _element(op.operands[0]) in ("f16", "bf16")


def _swaps_last(transpose: Any) -> bool:
    order = list(transpose.attributes["permutation"])
    rank = len(order)
    return rank >= 2 and order == [*range(rank - 2), rank - 1, rank - 2]


def _only_use(value: Any) -> Any:
    uses = list(value.uses)
    return uses[0].owner.operation if len(uses) == 1 else None


def _is_zero(value: Any) -> bool:
    owner = _owner(value)
    return owner is not None and owner.name == "arith.constant" and owner.attributes["value"].value == 0.0


def _owner(value: Any) -> Any:
    """Return the operation that makes a value, None for an argument."""
    owner = value.owner
    return getattr(owner, "operation", owner) if not hasattr(owner, "arguments") else None


def _kind(value: Any) -> Any:
    return bindings(value.owner if hasattr(value.owner, "context") else value).ir.RankedTensorType(value.type)


def _sizes(value: Any) -> list[int]:
    kind = _kind(value)
    return [-1 if kind.is_dynamic_dim(i) else kind.get_dim_size(i) for i in range(kind.rank)]


def _element(value: Any) -> str:
    return str(_kind(value).element_type)
