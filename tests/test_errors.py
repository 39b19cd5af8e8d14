"""Errors say what and where, and survive the trip from the compiler process."""

from __future__ import annotations

import pickle

from myjit.errors import CodegenError, CompileError, Diagnostic


def test_a_compile_error_names_stage_source_and_nodes():
    diagnostic = Diagnostic("error", "no lowering for aten.foo", ("foo_1",), "model.py:7")
    error = CodegenError("IREE refused the program", diagnostics=(diagnostic,))
    assert str(error) == "[codegen] IREE refused the program\n  model.py:7: error: no lowering for aten.foo"
    assert error.nodes == ("foo_1",)


def test_a_compile_error_survives_pickling():
    error = CompileError("x", stage="s", diagnostics=(Diagnostic("error", "m", ("n",)),), reproducer="r")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.stage, copy.nodes, copy.reproducer) == (str(error), "s", ("n",), "r")
