"""What a pass is: a frozen dataclass whose fields are its options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.errors import SpecError
from myjit.mlir.context import bindings
from myjit.passes.elements import split_elements
from myjit.passes.options import write_options


def kebab(name: str) -> str:
    """Return `RaiseAttention` as `raise-attention`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def camel(name: str) -> str:
    """Return `raise-attention` as `RaiseAttention`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[-_]", name))


@dataclass(frozen=True)
class Pass:
    """A step that changes a module in place; the module is valid before and after.

    Subclasses are frozen dataclasses: their fields are the pass's options, in Python, in text and in
    every log. The name is the class's name in kebab case unless `NAME` says otherwise.
    """

    NAME: ClassVar[str] = ""
    #: Whether the pass is there to refuse modules: then its failures are a matter of course.
    IS_CHECK: ClassVar[bool] = False
    #: Whether programs are as right without it: it is left out where IREE refuses what the pipeline makes,
    #: or where one of myjit's own fails.
    IS_TUNING: ClassVar[bool] = False

    @classmethod
    def pass_name(cls) -> str:
        """Return the name that the class is registered and written by."""
        return cls.NAME or kebab(cls.__name__)

    @property
    def name(self) -> str:
        """The pass's name, as in specs."""
        return type(self).pass_name()

    def spec(self) -> str:
        """Return the text form, `name` or `name{key=value key=value}`, in MLIR's own grammar."""
        options = write_options(self)
        return f"{self.name}{{{options}}}" if options else self.name

    def run(self, module: Any) -> None:
        """Change `module` (an MLIR module, or a GraphModule at the fx level) in place."""
        raise NotImplementedError(f"pass {self.name} has no run()")


@dataclass(frozen=True)
class FunctionPass(Pass):
    """A pass that looks at one function at a time."""

    def run(self, module: Any) -> None:
        """Run on every function of `module` that has a body."""
        for function in list(functions(module)):
            self.run_on_function(function)

    def run_on_function(self, function: Any) -> None:
        """Change one function operation in place."""
        raise NotImplementedError(f"pass {self.name} has no run_on_function()")


def functions(module: Any) -> Iterator[Any]:
    """Yield the operations of a module that are functions with a body (func.func, util.func)."""
    for op in module.operation.regions[0].blocks[0]:
        operation = op.operation
        if operation.name.endswith(".func") and operation.regions and len(operation.regions[0].blocks):
            yield operation


def is_foreign(item: Pass) -> bool:
    """Tell whether a pass is somebody else's: not myjit's own, and not MLIR's."""
    return not type(item).__module__.startswith("myjit.")


@dataclass(frozen=True)
class NativePass(Pass):
    """A pass, or passes nested in an anchor, that the C++ side registers, in MLIR's textual grammar."""

    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", " ".join(self.text.split()))
        if len(split_elements(self.text)) != 1:
            raise SpecError(f"a NativePass holds one pass, or one anchor with passes: {self.text!r}")

    @property
    def name(self) -> str:
        """The first pass in the text, without the anchors around it."""
        inner = re.sub(r"^(?:[\w.]+\()+", "", self.text)
        return re.split(r"[({),]", inner, maxsplit=1)[0]

    def spec(self) -> str:
        """Return the text itself: it is already in MLIR's grammar."""
        return self.text

    def run(self, module: Any) -> None:
        """Run the pass on a module through the pass manager of the module's own bindings."""
        manager = bindings(module).passmanager.PassManager
        with module.context:
            manager.parse(f"builtin.module({self.text})").run(module.operation)


@dataclass(frozen=True)
class FxPass(Pass):
    """A step of the fx level, named here and found in `myjit/graph/` by file name.

    Pipelines can be read without torch, so they name graph passes rather than import them.
    """

    graph_pass: str

    @property
    def name(self) -> str:
        """The graph pass's name."""
        return self.graph_pass

    def spec(self) -> str:
        """Return the name: graph passes take no options here."""
        return self.graph_pass


@dataclass(frozen=True)
class Decompositions(Pass):
    """The decomposition table that AOTAutograd traces with, as a list of sources.

    `base` names the starting table ('torch-mlir' or 'core-aten'), `add` the files of
    `myjit/graph/decompositions/` laid over it, `keep` the ops ('aten.gelu') that stay whole.
    """

    base: str = "torch-mlir"
    add: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
