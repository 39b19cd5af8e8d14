"""Read passes from text; `Pass.spec()` writes them.

Python passes go by their registered names, everything else is MLIR's own text. The two mix freely:
`lower-fused{approximate=true}, func.func(canonicalize,cse)`.
"""

from __future__ import annotations

from myjit.errors import SpecError
from myjit.passes.base import Decompositions, FunctionPass, FxPass, NativePass, Pass
from myjit.passes.elements import Element, split_elements
from myjit.passes.options import read_options
from myjit.passes.registered import GRAPH_PASSES, PASSES, pass_class


def parse_passes(text: str, level: str = "linalg") -> tuple[Pass, ...]:
    """Read a pass list for a stage of `level`; a `builtin.module(…)` around it may stay.

    Raises:
        SpecError: the text is malformed, or an option is unknown or bad.
        RegistryError: at the fx level, a name that no graph pass has.
    """
    elements = split_elements(text)
    if len(elements) == 1 and elements[0].name == "builtin.module" and elements[0].nested is not None:
        elements = split_elements(elements[0].nested)
    read = _graph_pass if level == "fx" else _module_passes
    return tuple(item for element in elements for item in read(element))


def _graph_pass(element: Element) -> tuple[Pass, ...]:
    if element.nested is not None:
        raise SpecError(f"{element.text!r}: passes of the fx level do not nest")
    if element.name == Decompositions.pass_name():
        return (_build(Decompositions, element),)
    if element.name in PASSES.names():
        return (_build(pass_class(element.name), element),)
    if element.name not in GRAPH_PASSES.names():
        GRAPH_PASSES.get(element.name)  # raises, with the nearest name
    if element.options is not None:
        raise SpecError(f"{element.text!r}: graph passes take no options here")
    return (FxPass(element.name),)


def _module_passes(element: Element) -> tuple[Pass, ...]:
    if element.name in PASSES.names():
        if element.nested is not None:
            raise SpecError(f"{element.text!r}: {element.name} is a pass, it cannot hold others")
        return (_build(pass_class(element.name), element),)
    if element.nested is not None:
        return _nested(element)
    return (NativePass(element.text),)


def _nested(element: Element) -> tuple[Pass, ...]:
    """Read `func.func(a,b)`; a Python pass inside, which MLIR could not nest, stands for itself."""
    inner = split_elements(element.nested or "")
    names = PASSES.names()
    if not any(e.name in names for e in inner):
        return (NativePass(element.text),)
    passes: list[Pass] = []
    for one in inner:
        if one.name not in names:
            passes.append(NativePass(f"{element.name}({one.text})"))
            continue
        kind = pass_class(one.name)
        if not (issubclass(kind, FunctionPass) and element.name.endswith(".func")):
            raise SpecError(f"{one.name!r} runs on modules: write it outside of {element.name}(…)")
        passes.append(_build(kind, one))
    return tuple(passes)


def _build(kind: type[Pass], element: Element) -> Pass:
    if issubclass(kind, Pass) and element.nested is None:
        return read_options(kind, element.options or "", f"pass {element.name!r}")
    raise SpecError(f"{element.text!r}: {element.name} takes options in {{}}, not passes")
