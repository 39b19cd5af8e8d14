"""The dialect `example`: one operation, the square of a tensor."""

from typing import Any

from myjit.mlir.dialect import Dialect, Operand, Pure, Result, refuse


class Example(Dialect, name="example"):
    """Operations whose identity this package wants to keep."""


class Square(Example.Operation, name="square", traits=[Pure]):
    """Multiply a tensor by itself, element by element."""

    operand: Operand[Any]
    result: Result[Any]

    def verify_invariants(self) -> bool:
        """Refuse a result of another type than the operand."""
        if self.operand.type != self.result.type:
            return refuse(self, f"gives {self.result.type} for an operand of {self.operand.type}")
        return True


DIALECT = Example
