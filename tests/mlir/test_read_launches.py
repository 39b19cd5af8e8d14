"""Programs for a GPU, compiled without one, as the launches that they come to."""

from __future__ import annotations

import pytest

from myjit.codegen import compile_launches, executable_target, open_session
from myjit.errors import LoadError
from myjit.launches import Call, Copy, Launch, Place, call_name, parse_call, read
from myjit.targets._cuda_driver import read_executable
from myjit.transforms.library_products import LibraryProducts

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
#: A linear layer of float16 as torch-mlir lowers it, and a function of it.
PRODUCT = """
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
module attributes {myjit.executable_target = #target} {
func.func @main(%x: tensor<8x16xf16>, %w: tensor<32x16xf16>, %b: tensor<32xf16>,
                %y: !hal.buffer {iree.abi.output = 0 : index}) -> tensor<8x32xf16> {
  %zero = arith.constant 0.0 : f32
  %t0 = tensor.empty() : tensor<16x32xf16>
  %t = linalg.transpose ins(%w : tensor<32x16xf16>) outs(%t0 : tensor<16x32xf16>) permutation = [1, 0]
  %b0 = tensor.empty() : tensor<32xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%b : tensor<32xf16>) outs(%b0 : tensor<32xf32>) {
  ^bb0(%a: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    linalg.yield %1 : f32
  } -> tensor<32xf32>
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = linalg.matmul ins(%x, %t : tensor<8x16xf16>, tensor<16x32xf16>)
      outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<8x32xf32>, tensor<32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<8x32xf32>
  %h = tensor.empty() : tensor<8x32xf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x32xf32>) outs(%h : tensor<8x32xf16>) {
  ^bb0(%a: f32, %o: f16):
    %1 = arith.truncf %a : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<8x32xf16>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<8x32xf16>) outs(%h : tensor<8x32xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = math.tanh %a : f16
    linalg.yield %1 : f16
  } -> tensor<8x32xf16>
  return %z : tensor<8x32xf16>
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
        module = ir.Module.parse(text)
        LibraryProducts().run(module)
        return compile_launches(session, module)


def test_a_straight_line_becomes_launches():
    launches = compiled(ROWS.format(n=64))
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
    launches = compiled(ROWS.format(n=64))
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
    assert compiled(DYNAMIC) is None


def test_products_become_calls_among_launches():
    with_call = PRODUCT.replace("#target", executable_target(FLAGS))
    launches = compiled(with_call)
    call = next(c for c in launches.commands if isinstance(c, Call))
    assert call.operation == "matmul"
    assert dict(call.numbers) == {
        "batch": 1,
        "m": 8,
        "n": 32,
        "k": 16,
        "ta": 0,
        "tb": 1,
        "factors": 1,
        "result": 1,
        "bias": 1,
    }
    assert call.pointers[:3] == (Place(0, 0), Place(1, 0), Place(2, 0))
    assert launches.commands.index(call) == 0
    assert any(isinstance(c, Launch) for c in launches.commands[1:])
    assert read(launches.to_bytes()) == launches


def test_without_the_devices_target_products_stay():
    launches = compiled(PRODUCT.replace("attributes {myjit.executable_target = #target}", ""))
    assert not any(isinstance(c, Call) for c in launches.commands)


def test_names_of_calls_read_back():
    assert parse_call(call_name("matmul", {"m": 3, "k": 40})) == ("matmul", (("m", 3), ("k", 40)))
    assert parse_call(call_name("softmax", {"rows": 3}) + "__1") == ("softmax", (("rows", 3),))
    assert parse_call("main_dispatch_0_matmul_64x1024x1024_f32") is None


def test_other_bytes_are_refused():
    with pytest.raises(LoadError, match="no executable"):
        read_executable(b"something else")
    with pytest.raises(ValueError, match="no launches"):
        read(b"something else")
