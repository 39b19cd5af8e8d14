"""What a pass is: a frozen dataclass whose fields are its options."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings


def kebab(name: str) -> str:
    """Return `RaiseAttention` as `raise-attention`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (tuple, list)):
        return ",".join(_value(v) for v in value)
    return str(value)


@dataclass(frozen=True)
class Pass:
    """A step that changes a module in place; the module is valid before and after.

    Subclasses are frozen dataclasses: their fields are the pass's options, in Python, in text and in
    every log. The name is the class's name in kebab case unless `NAME` says otherwise.
    """

    NAME: ClassVar[str] = ""

    @property
    def name(self) -> str:
        """The pass's name, as in specs."""
        return type(self).NAME or kebab(type(self).__name__)

    def spec(self) -> str:
        """Return the text form, `name` or `name{key=value key=value}`, in MLIR's own grammar."""
        fields = [f for f in dataclasses.fields(self) if f.name != "name"]
        options = " ".join(f"{f.name.replace('_', '-')}={_value(getattr(self, f.name))}" for f in fields)
        return f"{self.name}{{{options}}}" if options else self.name

    def run(self, module: Any) -> None:
        """Change `module` (an MLIR module, or a GraphModule at the fx level) in place."""
        raise NotImplementedError(f"pass {self.name} has no run()")


@dataclass(frozen=True)
class NativePass(Pass):
    """A pass, or nested passes, that the C++ side registers, in MLIR's textual grammar."""

    text: str

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

    pass_name: str

    @property
    def name(self) -> str:
        """The graph pass's name."""
        return self.pass_name

    def spec(self) -> str:
        """Return the name: graph passes take no options here."""
        return self.pass_name


@dataclass(frozen=True)
class Decompositions(Pass):
    """The decomposition table that AOTAutograd traces with, as a list of sources.

    `base` names the starting table ('torch-mlir' or 'core-aten'), `add` the files of
    `myjit/graph/decompositions/` laid over it, `keep` the ops ('aten.gelu') that stay whole.
    """

    base: str = "torch-mlir"
    add: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
