"""Note which operations of the dialect fused a function has."""

import myjit


@myjit.register_pass
class SeeFused(myjit.FunctionPass):
    """Write their names into an attribute."""

    def run_on_function(self, function):
        from torch_mlir import ir

        names = [op.operation.name for op in function.regions[0].blocks[0]]
        seen = " ".join(n for n in names if n.startswith("fused."))
        function.attributes["seen"] = ir.StringAttr.get(seen, function.context)
