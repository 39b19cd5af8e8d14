"""Modules that go from one context to another as bytecode or text."""

from __future__ import annotations

import subprocess
import sys

import pytest

from myjit.errors import IRError
from myjit.mlir.context import new_context, new_iree_context, parse, to_bytecode
from myjit.transforms.keep_order import KeepOrder


@pytest.mark.parametrize("write", [to_bytecode, str])
def test_what_keep_order_sets_is_read_again(write):
    module = parse("func.func private @f()", new_iree_context())
    with module.context:
        KeepOrder().run(module)
    again = parse(write(module), new_iree_context())
    assert str(again) == str(module)
    KeepOrder(done=True).run(again)
    assert "partitioning" not in str(again)


@pytest.mark.parametrize("context", [new_context, new_iree_context])
@pytest.mark.parametrize("source", ["func.func", b"ML\xefR"])
def test_what_is_no_module(source, context):
    with pytest.raises(IRError, match="not a valid module"):
        parse(source, context())


#: Makes contexts in several threads that take turns after few instructions.
THREADS = """
import sys, threading
from myjit.mlir.context import new_context
sys.setswitchinterval(1e-5)
threads = [threading.Thread(target=lambda: [new_context() for _ in range(20)]) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_threads_make_contexts_at_once():
    subprocess.run([sys.executable, "-c", THREADS], check=True, timeout=300)
