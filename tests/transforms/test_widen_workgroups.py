"""Workgroups of pointwise dispatches, and those that stay as they are; compiled for a GPU without one."""

from __future__ import annotations

import re

import pytest

from myjit.codegen import compile_launches, open_session
from myjit.launches import Launch
from myjit.targets._cuda_driver import read_executable
from myjit.transforms.widen_workgroups import WidenWorkgroups

FLAGS = ("--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80")
POINTWISE = """
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<{shape}xf16>, %y: !hal.buffer {{iree.abi.output = 0 : index}})
    -> tensor<{shape}xf16> {{
  %e = tensor.empty() : tensor<{shape}xf16>
  %r = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%x : tensor<{shape}xf16>) outs(%e : tensor<{shape}xf16>) {{
  ^bb0(%a: f16, %o: f16):
    %1 = math.exp %a : f16
    linalg.yield %1 : f16
  }} -> tensor<{shape}xf16>
  return %r : tensor<{shape}xf16>
}}"""


def blocks(text, passes):
    from iree.compiler import ir

    session = open_session(FLAGS)
    with session.context, ir.Location.unknown():

        def tune(module):
            for one in passes:
                one.run(module)
            return module

        launches = compile_launches(session, ir.Module.parse(text), {"executable-configurations": tune})
    exports, modules = read_executable(launches.executables[0])
    (command,) = (c for c in launches.commands if isinstance(c, Launch))
    return exports[0][2], command.grid, modules[0].decode()


@pytest.mark.parametrize("shape", ["1024x4096", "4096x256"])
def test_the_workgroups_of_large_tensors_are_wider_and_fewer(shape):
    text = POINTWISE.format(shape=shape)
    before, grid, _ = blocks(text, [])
    after, wider, code = blocks(text, [WidenWorkgroups(warps=4)])
    assert before == (32, 1, 1)
    assert after == (128, 1, 1)
    assert grid[0] == 4 * wider[0]
    assert re.search(r"ld\.global[.a-z]*\.v4\.b32", code)  # still whole vectors


def test_what_does_not_divide_stays():
    text = POINTWISE.format(shape="3x40")
    assert blocks(text, [WidenWorkgroups()])[:2] == blocks(text, [])[:2]
