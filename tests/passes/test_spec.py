"""Passes and pipelines as values, text and TOML: each form reads back to an equal value."""

from __future__ import annotations

import random
import string
from dataclasses import dataclass, fields
from typing import Literal

import pytest

from myjit.errors import RegistryError, SpecError
from myjit.passes.base import Decompositions, NativePass, Pass
from myjit.passes.contract import Contract
from myjit.passes.options import read_options, write_options
from myjit.passes.pipeline import PIPELINES, Pipeline, Stage
from myjit.passes.pipeline_text import parse_pipeline
from myjit.passes.pipeline_toml import from_toml, to_toml
from myjit.passes.registered import PASSES, pass_class, register_pass
from myjit.passes.spec import parse_passes

pytestmark = pytest.mark.every_variant


@register_pass
@dataclass(frozen=True)
class EveryOption(Pass):
    """Has an option of each kind."""

    text: str = ""
    number: int = 0
    ratio: float = 0.0
    on: bool = False
    sizes: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    form: Literal["erf", "tanh"] = "erf"
    limit: int | None = None


AWKWARD = [
    "",
    " ",
    "none",
    "true",
    "a b",
    'say "no"',
    "a,b",
    "{x=1}",
    "back\\slash",
    "é\n\t",
    "=",
    "'",
    "1",
    "][",
]


def random_value(rng: random.Random, name: str) -> object:
    word = rng.choice([*AWKWARD, "".join(rng.choices(string.printable, k=6))])
    return {
        "text": word,
        "number": rng.randint(-(10**12), 10**12),
        "ratio": rng.choice([rng.random(), 1e-300, -0.0, 1e22, float("inf")]),
        "on": rng.random() < 0.5,
        "sizes": tuple(rng.randint(-5, 5) for _ in range(rng.randint(0, 3))),
        "words": tuple(rng.choice(AWKWARD) for _ in range(rng.randint(0, 3))),
        "form": rng.choice(["erf", "tanh"]),
        "limit": rng.choice([None, 3]),
    }[name]


@pytest.mark.parametrize("seed", range(60))
def test_options_survive_text_and_toml(seed: int):
    rng = random.Random(seed)
    item = EveryOption(**{f.name: random_value(rng, f.name) for f in fields(EveryOption)})  # type: ignore[arg-type]
    assert parse_passes(item.spec()) == (item,)
    flags = tuple(rng.choice(AWKWARD).replace("\n", " ") for _ in range(2))
    contract = Contract(("builtin", "func"), ("func.call",)) if seed % 2 else None
    pipeline = Pipeline(
        "p",
        (Stage("s", "linalg", (item, NativePass("cse")), contract), Stage("t", "iree", ())),
        flags,
        (flags, ()),
    )
    assert parse_pipeline(pipeline.spec()) == pipeline
    assert from_toml(to_toml(pipeline)) == pipeline


@pytest.mark.parametrize("name", PIPELINES.names())
def test_every_pipeline_round_trips(name: str):
    pipeline = PIPELINES.get(name)
    assert parse_pipeline(pipeline.spec()) == pipeline
    assert from_toml(to_toml(pipeline)) == pipeline
    assert parse_pipeline(pipeline.spec()).fingerprint() == pipeline.fingerprint()


@pytest.mark.parametrize("name", PASSES.names())
def test_every_pass_round_trips_with_its_defaults(name: str):
    item = pass_class(name)()
    assert item.name == name
    assert parse_passes(item.spec()) == (item,)


def test_native_text_keeps_its_own_grammar():
    text = "func.func(canonicalize{max-iterations=3 top-down=false},cse), inline"
    assert [p.spec() for p in parse_passes(text)] == [
        "func.func(canonicalize{max-iterations=3 top-down=false},cse)",
        "inline",
    ]


def test_decompositions_are_read_at_the_fx_level():
    item = Decompositions("core-aten", ("fma",), ("aten.gelu",))
    assert parse_passes(item.spec(), "fx") == (item,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("every-option{txt=a}", "no option 'txt'. Did you mean 'text'"),
        ("every-option{number=a}", "number=a is not valid"),
        ("every-option{on=maybe}", "true or false"),
        ("every-option{form=relu}", "one of erf, tanh"),
        ("every-option{number=1 number=2}", "given twice"),
        ("every-option{number}", "expected key=value"),
        ('every-option{text="a}', "not closed"),
        ("every-option(cse)", "cannot hold others"),
        ("func.func(every-option)", "outside of func.func"),
        ("cse,,cse", "empty element"),
        ("cse)", "unbalanced"),
        ("1cse", "does not start with a pass's name"),
        ("cse{a} b", "come options"),
    ],
)
def test_bad_text_says_what_is_wrong(text: str, message: str):
    with pytest.raises(SpecError, match=message.replace("(", r"\(").replace("{", r"\{")):
        parse_passes(text)


def test_two_passes_are_not_one_native_pass():
    with pytest.raises(SpecError, match="one pass"):
        NativePass("cse,canonicalize")


def test_an_option_without_text_form_is_refused():
    @dataclass(frozen=True)
    class Odd(Pass):
        thing: object = None

    with pytest.raises(SpecError, match="cannot be an option"):
        Odd(object()).spec()


def test_an_undecorated_class_with_options_is_refused():
    class Forgot(Pass):
        size: int = 4

    with pytest.raises(SpecError, match="dataclass"):
        register_pass(Forgot)


def test_two_classes_cannot_share_a_name():
    class Other(Pass):
        NAME = "every-option"

    with pytest.raises(RegistryError, match="already registered"):
        register_pass(Other)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("torch s: cse", "starts with the line"),
        ("pipeline p\nlinalk s: cse", "line 2: .*Did you mean 'linalg'"),
        ("pipeline p\nwhat is this", "line 2: expected"),
        ("pipeline p\nensures dialects=a", "below a stage"),
        ("pipeline p\niree a: cse\ntorch b: cse", "must follow the levels"),
        ("pipeline p\ntorch a: cse\ntorch a: cse", "names a stage twice"),
        ("pipeline p\nflags: 'a", "line 2"),
        ("pipeline p\nfx a: no-such-graph-pass", "line 2: no graph pass"),
    ],
)
def test_a_bad_pipeline_text_names_its_line(text: str, message: str):
    with pytest.raises(SpecError, match=message):
        parse_pipeline(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = 3", "name is a string"),
        ("flags = []", "'name' is missing"),
        ('name = "p"\nstages = []', ":2: unknown key 'stages'. Did you mean 'stage'"),
        ('name = "p"\n[[stage]]\nname = "a"\nlevel = "torche"', ":2: .*Did you mean 'torch'"),
        ('name = "p"\n[[stage]]\nname = "a"\nlevel = "torch"\npasses = [\n"cse",\n"cse)"]', ":7: stage 'a'"),
        ('name = "p"\n[[stage]]\nname = "a"\nlevel = "torch"\npasses = "cse"', ":5: passes is a list"),
        ('name = "p"\nsafer-flags = ["a"]', "list of lists"),
        ('name = "p', "end of document"),
    ],
)
def test_bad_toml_names_its_line(text: str, message: str):
    with pytest.raises(SpecError, match=message):
        from_toml(text)


def test_options_of_a_local_class_are_read_by_their_defaults():
    @dataclass(frozen=True)
    class Local:
        size: int = 3

    assert read_options(Local, write_options(Local(7)), "local") == Local(7)
