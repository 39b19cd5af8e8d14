"""Calls of compiled partitions: memory, threads, failures, exit."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import threading
import warnings
import weakref

import pytest
import torch
from torch._subclasses import FakeTensor, FakeTensorMode
from torch.multiprocessing.reductions import StorageWeakRef

import myjit
from myjit.artifact import Artifact, Signature, TensorSpec
from myjit.errors import FallbackWarning, InvokeError, LoadError
from myjit.runtime import executable as executables
from myjit.runtime.device import DEVICES
from myjit.runtime.executable import Executable
from tests.runtime.memory import resident


def spec(*shape: int | str, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(dtype, shape, tuple(range(len(shape))))


def failing(**kwargs: object) -> Executable:
    """A partition that cannot run: its module is no module."""
    return Executable(
        Artifact(b"no module", Signature((spec(2),), (spec(2),), (), (0,))), "local-sync", **kwargs
    )


def test_ten_thousand_calls_leak_nothing(compiled):
    run = compiled(lambda x, w: torch.relu(x @ w) + 1)
    x, w = torch.randn(64, 64), torch.randn(64, 64)
    for _ in range(1000):
        run(x, w)
    gc.collect()
    before, objects = resident(), len(gc.get_objects())
    for _ in range(10_000):
        run(x, w)
    gc.collect()
    # One leaked output a call would be 160 MB, one leaked object a call 10,000.
    assert resident() - before < 32_000 * 1024
    assert len(gc.get_objects()) - objects < 1_000


def test_dropping_a_compiled_model_frees_its_weights():
    def build_and_run():
        model = torch.nn.Linear(512, 512)
        torch.compile(model, backend="myjit_mlir", options={"fallback": "error"})(torch.randn(1, 512))
        return model.weight.untyped_storage()._weak_ref()

    reference = build_and_run()
    torch._dynamo.reset()
    gc.collect()
    assert torch.UntypedStorage._new_with_weak_ptr(reference) is None


def test_replaced_weights_are_freed_while_the_compiled_function_lives(compiled):
    model, x = torch.nn.Linear(64, 64, bias=False), torch.randn(2, 64)
    run = compiled(model)
    with torch.no_grad():
        run(x)
        memory = model.weight.untyped_storage()._weak_ref()
        model.weight = torch.nn.Parameter(torch.randn(64, 64))
        gc.collect()
        assert torch.UntypedStorage._new_with_weak_ptr(memory) is None
        torch.testing.assert_close(run(x), model(x))


def test_threads_get_their_own_results(compiled):
    run = compiled(lambda x: torch.softmax(x @ x.t(), -1).sum(-1) + x[:, 0])
    inputs = [torch.randn(48, 48) for _ in range(8)]
    expected = [torch.softmax(x @ x.t(), -1).sum(-1) + x[:, 0] for x in inputs]
    run(inputs[0])
    wrong: list[int] = []

    def work(index: int) -> None:
        results = [run(inputs[index]) for _ in range(200)]
        wrong.extend(index for r in results if not torch.allclose(r, expected[index], atol=1e-4))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert myjit.stats()["ops_fallback"] == 0


def test_results_outlive_the_compiled_code(compiled):
    x = torch.randn(300)
    result = compiled(lambda x: x * 3)(x)
    torch._dynamo.reset()
    gc.collect()
    assert torch.equal(result, x * 3)


def test_results_of_two_calls_do_not_share_memory(compiled):
    run = compiled(lambda x: x + 1)
    first = run(torch.zeros(1000))
    second = run(torch.ones(1000))
    assert torch.equal(first, torch.ones(1000))
    assert torch.equal(second, torch.full((1000,), 2.0))


def test_weights_are_not_copied_and_never_stale(compiled):
    linear = torch.nn.Linear(2048, 64)
    run = compiled(linear)
    x = torch.randn(1, 2048)
    with torch.no_grad():
        for change in (
            lambda: None,
            lambda: linear.weight.mul_(2),
            lambda: linear.weight.data.mul_(2),
            lambda: setattr(linear.weight, "data", torch.randn(64, 2048)),
        ):
            change()
            torch.testing.assert_close(run(x), linear(x), rtol=1e-4, atol=1e-4)
    assert myjit.stats()["bytes_copied"] == 0


def test_fake_tensors_run_in_torch_and_cost_the_code_nothing():
    x = torch.randn(4, 8)
    run = torch.compile(lambda x: x.sin() * 2, backend="myjit_mlir")
    run(x)
    with FakeTensorMode() as mode:
        fake = mode.from_tensor(x)
        result = run(fake)
    assert isinstance(result, FakeTensor)
    assert result.shape == x.shape
    calls = myjit.stats()["calls"]
    torch.testing.assert_close(run(x), x.sin() * 2)
    assert myjit.stats()["calls"] == calls + 1


def test_an_unaligned_input_is_copied_and_counted(compiled):
    run = compiled(lambda x: x * 2)
    x = torch.arange(101.0)[1:]
    assert torch.equal(run(x), x * 2)
    assert myjit.stats()["bytes_copied"] == 400


def test_an_input_that_is_not_dense_is_right(compiled):
    run = compiled(lambda x: x * 2)
    x = torch.randn(4, 8, 6)[:, ::2, 1:].expand(4, 4, 5)
    assert torch.equal(run(x), x * 2)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1, 1)])
def test_shapes_without_extent(compiled, shape):
    x = torch.ones(shape)
    assert torch.equal(compiled(lambda x: x * 2 + 1)(x), x * 2 + 1)


def test_a_failed_call_leaves_the_device_usable(compiled):
    good = compiled(lambda x: x + 1)
    good(torch.zeros(3))
    with pytest.raises(LoadError, match="does not load"):
        failing().call([torch.zeros(2)])
    assert torch.equal(good(torch.zeros(3)), torch.ones(3))


def _executable_of(run, *inputs):
    """Return the one executable that a first call makes, which raises where a call fails."""
    seen = []
    original = Executable.__init__

    def remember(self, *args, **kwargs):
        original(self, *args, **kwargs)
        seen.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Executable, "__init__", remember)
        run(*inputs)
    (executable,) = seen
    executable._on_failure = None
    return executable


@pytest.mark.parametrize("of", [lambda x: x[:3], lambda x: x.view(8, 3), lambda x: x.new_zeros(7)])
def test_wrong_arguments_raise_and_leave_the_device_usable(compiled, of):
    run = compiled(lambda x: x.sin() + 1)
    x = torch.zeros(4, 6)
    executable = _executable_of(run, x)
    device = DEVICES.get(executable.driver)
    with pytest.raises(InvokeError, match="inference_0 failed at run time"):
        executable.call([of(x)])  # also where it lies at an address that is known
    assert DEVICES.get(executable.driver) is not device
    assert torch.equal(run(x), torch.ones(4, 6))


@pytest.mark.parametrize("turned", [False, True])
def test_memory_is_known_by_address_and_read_again_at_each_call(compiled, turned):
    memory = torch.zeros(9600)

    def tensor(offset):
        part = memory[offset : offset + 240].view(6, 40)
        return part.t() if turned else part

    executable = _executable_of(compiled(lambda x, y: x * 2 + y), tensor(0), tensor(0))
    # More than are kept, and some that are not aligned.
    for number, offset in enumerate([0, 240, 0, 480, 1, 480, *range(0, 9600, 240), 0, 3]):
        memory.copy_(torch.arange(9600.0) + number)
        x, y = tensor(offset), tensor((offset + 1200) % 9360)
        assert torch.equal(executable.call([x, y])[0], x * 2 + y)
        across = x.reshape(x.shape[::-1]).t()  # as large, in another order
        assert torch.equal(executable.call([across, x])[0], across * 2 + x)


def test_memory_known_by_address_is_not_held(compiled):
    x = torch.randn(64, 64)
    executable = _executable_of(compiled(lambda x: x + 1), x)
    (result,) = executable.call([x])
    held = [StorageWeakRef(tensor.untyped_storage()) for tensor in (x, result)]
    del x, result
    gc.collect()
    assert [memory.expired() for memory in held] == [True, True]


def test_what_answers_for_a_failure_answers_from_then_on():
    answered = []

    def answer(args, error):
        answered.append(error)
        return args

    executable = failing(on_failure=answer)
    x = torch.zeros(2)
    assert executable.call([x])[0] is x
    assert executable.call([x])[0] is x
    assert answered[0] is answered[1]


def test_an_expression_that_is_not_arithmetic_is_refused():
    signature = Signature((spec("s0"),), (spec("__import__('os')"),), (("s0", 0, 0),), (0,))
    with pytest.raises(LoadError, match="not arithmetic"):
        Executable(Artifact(b"", signature), "local-sync")


@pytest.mark.parametrize("driver", ["sync", "task"])
def test_a_forked_process_computes(driver):
    program = f"""
    import faulthandler, os, sys, torch
    torch.set_num_threads(1)  # torch's own threads stay behind as well
    def function(x): return (torch.sin(x) @ x.t()).softmax(-1)
    run = torch.compile(function, backend="myjit_mlir", options={{"device": "{driver}", "fallback": "error"}})
    x = torch.randn(64, 64)
    expected = run(x)
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(60, exit=True)
        assert torch.allclose(run(x), expected) and torch.allclose(run(x), expected)
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert torch.allclose(run(x), expected)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=300)


@pytest.mark.parametrize("ending", ["", "raise SystemExit(0)", "import os; os.chdir('/'); sys.exit()"])
def test_the_process_exits_silently(ending):
    code = f"""
import sys, torch
kept = torch.compile(torch.nn.Linear(4, 4), backend="myjit_mlir")
result = kept(torch.ones(2, 4))
result.sum().backward()
{ending}
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_exception_in_the_program_exits_with_its_traceback_alone():
    code = "import torch; torch.compile(torch.sin, backend='myjit_mlir')(torch.ones(2)); 1 / 0"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip().endswith("ZeroDivisionError: division by zero")
    assert "leaked" not in done.stderr


@pytest.mark.parametrize("kind", [LoadError, KeyError, TypeError])
def test_a_failing_partition_warns_once_and_runs_in_torch(monkeypatch, kind):
    from myjit.runtime import device

    run = torch.compile(lambda x: x.cos() + 1, backend="myjit_mlir")

    def refuse(self, vmfb, parameters):
        raise kind("no room")

    monkeypatch.setattr(device.Device, "load", refuse)
    x = torch.randn(5)
    with pytest.warns(FallbackWarning, match="no room.?; it runs in torch from now on"):
        assert torch.equal(run(x), x.cos() + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.equal(run(x), x.cos() + 1)


def test_the_state_of_a_call_that_is_interrupted_goes_with_it(compiled):
    known = set(executables._executables)
    run, x = compiled(lambda x: x * 2 + 1), torch.ones(64)
    run(x)
    (executable,) = set(executables._executables) - known
    (state,) = executable.tally._states
    gone = weakref.ref(state)

    def interrupted(*_):
        raise KeyboardInterrupt

    state.invoke = interrupted
    del state
    with pytest.raises(KeyboardInterrupt):
        run(x)
    gc.collect()
    assert gone() is None
    assert torch.equal(run(x), x * 2 + 1)
    assert executable.calls == 2
