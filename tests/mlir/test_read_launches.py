"""Programs for a GPU, compiled without one, as the launches that they come to."""

from __future__ import annotations

import pytest

from myjit.codegen import compile_module, open_session
from myjit.errors import LoadError
from myjit.launches import Copy, Launch, is_launches, read
from myjit.targets._cuda_driver import read_executable

FLAGS = ("--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80")
ROWS = """
#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<8x{n}xf32>, %y: !hal.buffer {{iree.abi.output = 0 : index}},
                %z: !hal.buffer {{iree.abi.output = 1 : index}}) -> (tensor<8x{n}xf32>, tensor<8xf32>) {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {{indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%x : tensor<8x{n}xf32>) outs(%f : tensor<8xf32>) {{
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  }} -> tensor<8xf32>
  %g = tensor.empty() : tensor<8x{n}xf32>
  %r = linalg.generic {{indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %s : tensor<8x{n}xf32>, tensor<8xf32>) outs(%g : tensor<8x{n}xf32>) {{
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  }} -> tensor<8x{n}xf32>
  return %r, %s : tensor<8x{n}xf32>, tensor<8xf32>
}}"""
DYNAMIC = """
func.func @main(%x: tensor<?xf32>, %y: !hal.buffer {iree.abi.output = 0 : index}) -> tensor<?xf32> {
  %1 = arith.addf %x, %x : tensor<?xf32>
  return %1 : tensor<?xf32>
}"""


def compiled(text):
    from iree.compiler import ir

    session = open_session(FLAGS)
    with session.context, ir.Location.unknown():
        return compile_module(session, ir.Module.parse(text), launches=True)


def test_a_straight_line_becomes_launches():
    launches = read(compiled(ROWS.format(n=64)))
    assert launches.arguments == 3
    kernels = [c for c in launches.commands if isinstance(c, Launch)]
    assert [k.kernel.split("_dispatch_")[1].split("_")[1] for k in kernels] == ["reduction", "elementwise"]
    read_at = [{p.slot for p in k.pointers} for k in kernels]
    assert 0 in read_at[0] and {0, 1} <= read_at[1]
    written = read_at[0] | {c.target.slot for c in launches.commands if isinstance(c, Copy)}
    assert 2 in written
    assert all(slot < 3 + len(launches.scratch) for slots in read_at for slot in slots)
    assert read(launches.to_bytes()) == launches


def test_executables_hold_their_kernels_as_ptx():
    launches = read(compiled(ROWS.format(n=64)))
    exports, modules = read_executable(launches.executables[0])
    assert {name for _, name, _, _ in exports} == {
        c.kernel for c in launches.commands if isinstance(c, Launch)
    }
    for module, name, block, shared in exports:
        assert f".visible .entry {name}(".encode() in modules[module]
        assert 32 <= block[0] <= 1024
        assert 0 <= shared <= 1 << 18
    assert all(m.endswith((b"}\n\0", b"}\n\n\0")) for m in modules)


def test_sizes_known_only_at_the_call_stay_with_iree():
    assert not is_launches(compiled(DYNAMIC))


def test_other_bytes_are_refused():
    with pytest.raises(LoadError, match="no executable"):
        read_executable(b"something else")
    with pytest.raises(ValueError, match="no launches"):
        read(b"something else")
