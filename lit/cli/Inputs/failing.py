"""Passes that fail, each in its own way."""

from dataclasses import dataclass

import myjit


@myjit.register_pass
@dataclass(frozen=True)
class Raise(myjit.Pass):
    """Raise an exception."""

    text: str = "no reason"

    def run(self, module):
        raise KeyError(self.text)


@myjit.register_pass
class BreakIr(myjit.Pass):
    """Leave a function whose type does not fit its body."""

    def run(self, module):
        from torch_mlir import ir

        function = module.body.operations[0]
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([], []))


@myjit.register_pass
class Complain(myjit.FunctionPass):
    """Emit an error at every function, and return as if all were well."""

    def run_on_function(self, function):
        function.location.emit_error("I do not like this function")


@myjit.register_pass
class Mark(myjit.FunctionPass):
    """Mark every function."""

    def run_on_function(self, function):
        from torch_mlir import ir

        function.attributes["marked"] = ir.UnitAttr.get(function.context)


@myjit.register_pass
class Spin(myjit.Pass):
    """Never end."""

    def run(self, module):
        while True:
            pass
