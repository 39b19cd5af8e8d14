"""Random programs, as source text: what every part of the compiler has to get right together.

Programs of whole numbers are exact: a result is eager's, or wrong. Programs of smooth functions are held
against the same program in float64. A program grows line by line, and keeps the lines that run in eager and
give numbers of moderate size. The same seed makes the same program.
"""

from __future__ import annotations

import linecache
import random
import re
import string
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from program_lines import AGAIN, CONVOLUTIONS, MIXED, PARTS, SMOOTH, WHOLE
from torch import Tensor
from torch.nn import functional as F

_NAMES = {"torch": torch, "F": F}
_MOST_ELEMENTS, _MOST_WIDE = 6000, 60000
_SIZES, _WIDE_SIZES = (2, 3, 4, 5, 7, 8, 12, 16, 17, 33), (2, 3, 29, 40, 77, 100, 130, 197)
_TINY_SIZES = (1, 1, 1, 2, 3)
#: The types of inputs, some more often than others.
_FEW_KINDS = ("float", "float", "long", "int", "bool")
_ALL_KINDS = ("float", "double", "half", "long", "int", "short", "int8", "uint8", "uint8", "bool", "bool")

_KINDS: Mapping[str, Callable[[Tensor], bool]] = {
    "x": lambda t: t.dtype != torch.bool,
    "y": lambda t: t.dtype != torch.bool,
    "f": lambda t: t.dtype.is_floating_point,
    "g": lambda t: t.dtype.is_floating_point,
    "i": lambda t: t.dtype == torch.int64,
    "b": lambda t: t.dtype == torch.bool,
    "t": lambda t: True,
    "u": lambda t: True,
}


@dataclass(frozen=True)
class Program:
    """A function of some tensors, as lines of Python, and the tensors of each of its calls."""

    lines: Sequence[str]
    results: Sequence[str]
    calls: Sequence[Mapping[str, Tensor]]

    @property
    def source(self) -> str:
        """The function's definition."""
        body = "\n".join([*self.lines, f"return [{', '.join(self.results)}]"])
        return f"def f({', '.join(self.calls[0])}):\n{textwrap.indent(body, '    ')}\n"

    def function(self) -> Callable[..., list[Tensor]]:
        """Return the function, with lines that Dynamo and error messages find."""
        name = f"<program {abs(hash(self.source)):x}>"
        linecache.cache[name] = (len(self.source), None, self.source.splitlines(keepends=True), name)
        names = dict(_NAMES)
        exec(compile(self.source, name, "exec"), names)  # noqa: S102 (text of our own)
        return names["f"]  # type: ignore[return-value]

    def smaller(self) -> list[Program]:
        """Return programs with one result or one line less, for a search of the smallest that fails."""
        found = [
            Program(_alive(self.lines, rest), rest, self.calls)
            for result in self.results
            if (rest := [each for each in self.results if each != result])
        ]
        for number in reversed(range(len(self.lines))):
            name, _, line = self.lines[number].partition(" ")
            for operand in dict.fromkeys(re.findall(r"\b[vx]\d+\b", line)):
                renamed = [re.sub(rf"\b{name}\b", operand, each) for each in self.lines]
                results = list(dict.fromkeys(operand if each == name else each for each in self.results))
                if operand != name and not any(each.startswith("x") for each in results):
                    lines = [*renamed[:number], *renamed[number + 1 :]]
                    found.append(Program(_alive(lines, results), results, self.calls))
        return found


def _alive(lines: Sequence[str], results: Sequence[str]) -> list[str]:
    needed, kept = set(results), []
    for line in reversed(lines):
        if line.split(" ")[0] in needed:
            kept.append(line)
            needed |= set(re.findall(r"\b[vx]\d+\b", line))
    return kept[::-1]


def generate(
    seed: int,
    *,
    smooth: bool = False,
    mixed: bool = False,
    wide: bool = False,
    convolutions: bool = False,
    few: bool = False,
    tiny: bool = False,
    calls: int = 1,
    steps: int = 14,
) -> Program:
    """Return the program of a seed; with several `calls`, each has tensors of other sizes.

    Rows of `wide` tensors take several vectors, most sizes of `tiny` ones are 1; `mixed` ones are of all
    types. With `convolutions` they are half of the lines. Of `few` kinds of lines programs repeat
    themselves, and return most of what they make: equal tensors, and tensors that several others read.
    """
    lines = SMOOTH if smooth else WHOLE + MIXED * 5 if mixed else WHOLE
    lines += CONVOLUTIONS * (len(lines) // len(CONVOLUTIONS)) if convolutions else ()
    choice = random.Random(seed)
    if few:
        exact = [line for line in AGAIN if not smooth or ("half" not in line and "bfloat16" not in line)]
        lines = ["{x} * 3 + 1", "{x}.amax({d})", *choice.sample(exact, 3), *choice.sample(lines, 5)]
    sizes = _WIDE_SIZES if wide else _TINY_SIZES if tiny else _SIZES
    growing = _Growing(choice, lines, sizes, smooth, mixed, wide, calls, returned=0.75 if few else 0.3)
    for _ in range(400):
        if len(growing.grown) < steps:
            growing.grow()
    return growing.program()


@dataclass
class _Growing:
    """A program on its way: the values of all its names in each call."""

    random: random.Random
    lines: Sequence[str]
    sizes: Sequence[int]
    smooth: bool
    mixed: bool
    wide: bool
    calls: int
    returned: float
    grown: list[str] = field(default_factory=list)
    values: list[dict[str, Tensor]] = field(init=False)
    inputs: list[dict[str, Tensor]] = field(init=False)

    def __post_init__(self) -> None:
        dims = [self.random.choice(self.sizes) for _ in range(3)]
        sizes = [dims, [d + self.random.choice([1, 3]) for d in dims], [max(2, 2 * d - 1) for d in dims]]
        ranks = [self.random.choice([2, 3, 3])]
        ranks += [self.random.choice([1, 2, 2, 3, 3, 4]) for _ in range(self.random.randrange(3))]
        shapes = [[self.random.randrange(3) for _ in range(rank)] for rank in ranks]
        among = _ALL_KINDS if self.mixed else _FEW_KINDS
        kinds = ["float", *(self.random.choice(among) for _ in shapes[1:])]
        generator = torch.Generator().manual_seed(self.random.randrange(2**31))
        self.inputs = [
            {
                f"x{n}": self._input([each[d] for d in shape], kind, generator)
                for n, (shape, kind) in enumerate(zip(shapes, kinds, strict=True))
            }
            for each in sizes[: self.calls]
        ]
        self.values = [dict(each) for each in self.inputs]

    def _input(self, shape: Sequence[int], kind: str, generator: torch.Generator) -> Tensor:
        most = 9 if len(shape) > 3 else 20 if self.wide else 99
        last = 300 if self.wide else most
        shape = [*(min(size, most) for size in shape[:-1]), min(shape[-1], last)]
        if self.smooth:
            return torch.randn(shape, generator=generator)
        numbers = torch.randint(-4, 5, shape, generator=generator)
        return numbers > 0 if kind == "bool" else numbers.to(getattr(torch, kind))

    def grow(self) -> None:
        """Add a line, if it runs in every call and its numbers are of moderate size."""
        name = f"v{len(self.grown)}"
        expression = self._filled(self.random.choice(self.lines))
        if expression is None:
            return
        line = expression.replace("OUT", name) if "OUT" in expression else f"{name} = {expression}"
        found = [_evaluate(line, name, each) for each in self.values]
        if any(value is None or not self._is_moderate(value) for value in found):
            return
        if not self.smooth and any(value.dtype != torch.bool and value.abs().max() > 60 for value in found):
            line += f"; {name} = {name}.{self.random.choice(['remainder(7)', 'clamp(-20, 30)', 'sign()'])}"
            found = [_evaluate(line, name, each) for each in self.values]
        for values, value in zip(self.values, found, strict=True):
            values[name] = value
        self.grown.append(line)

    def _filled(self, template: str) -> str | None:
        """Return a template with names in it, or None where there is no value of a kind."""
        chosen: dict[str, Any] = {}
        for kind in dict.fromkeys(name[0] for _, name, _, _ in string.Formatter().parse(template) if name):
            if kind in _KINDS:
                names = [name for name, value in self.values[0].items() if _KINDS[kind](value)]
                if not names:
                    return None
                chosen[kind] = names[int(self.random.random() ** 0.6 * len(names))]  # rather the last ones
        first = next(iter(chosen.values()))
        ranks = [max(self.values[0][first].ndim, 1) for _ in "de"]
        chosen |= {name: self.random.randrange(rank) for name, rank in zip("de", ranks, strict=True)}
        chosen |= {"s": self.random.choice(PARTS), "k": self.random.choice([1, 2, 3])}
        chosen["c"] = self.random.choice([-2, 1, 3])
        if "{o}" in template:
            chosen |= {"o": self.random.choice([1, 3, 4, 8, 17, 33]), "m": self.random.choice([1, 1, 2, 3])}
        return re.sub(r"\{(\w)\}", lambda match: str(chosen[match[1]]), template)

    def _is_moderate(self, value: Tensor) -> bool:
        if not 0 < value.numel() <= (_MOST_WIDE if self.wide else _MOST_ELEMENTS):
            return False
        if value.dtype.is_floating_point and not value.isfinite().all():
            return False
        return value.dtype == torch.bool or bool(value.abs().max() <= (50 if self.smooth else 4000))

    def program(self) -> Program:
        """Return what has grown; the results are what nothing else reads, and some others."""
        names = [line.split(" ")[0] for line in self.grown]
        read = {name for line in self.grown for name in re.findall(r"\bv\d+\b", line.partition("=")[2])}
        ends = {n for n in names if n not in read} | {names[-1]}
        results = [n for n in names if n in ends or self.random.random() < self.returned]
        return Program(self.grown, results, self.inputs)


def _evaluate(line: str, name: str, values: Mapping[str, Tensor]) -> Any:
    """Return what a line makes of values; None where it fails, or changes one of them."""
    names = {**_NAMES, **{key: value.clone() for key, value in values.items()}}
    try:
        with torch.no_grad():
            exec(line, names)  # noqa: S102 (text of our own)
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError):
        return None
    changed = any(not torch.equal(names[key], value) for key, value in values.items())
    return names[name] if isinstance(names[name], Tensor) and not changed else None
