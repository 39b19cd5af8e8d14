"""What Dynamo calls: `torch.compile(model, backend="myjit_mlir")`."""

from __future__ import annotations

import atexit
import gc
import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any

import torch
from torch._dynamo.exc import TorchDynamoException
from torch._dynamo.utils import GmWrapper, flatten_graph_inputs
from torch._functorch.aot_autograd import aot_module_simplified
from torch._functorch.partitioners import default_partition, min_cut_rematerialization_partition
from torch._inductor.debug import enable_aot_logging

from myjit.autotune import fastest, may_repeat
from myjit.cache_artifacts import record_cache_entries
from myjit.compile import compile_graph
from myjit.counters import STATISTICS
from myjit.errors import FallbackWarning, MyjitError, UnsupportedGraphError, first_line
from myjit.frontend.aot_metadata import static_inputs, written_inputs
from myjit.frontend.attention import attention_kept
from myjit.frontend.decompose import decomposition_table, whole_layers
from myjit.frontend.overlapping_results import gradients_of_their_own
from myjit.frontend.recurrent import recurrent_as_in_eager
from myjit.frontend.tangents import may_carry_tangents
from myjit.options import CompileOptions
from myjit.placing import kept_whole
from myjit.plan import GraphPlan
from myjit.resolve import places_by_cost, resolve_pipeline, resolve_target
from myjit.runtime.executable import unload_all
from myjit.targets.base import Target

log = logging.getLogger(__name__)

record_cache_entries()

# Dynamo breaks the graph at nn.LSTM, nn.GRU and nn.RNN unless this is set.
torch._dynamo.config.allow_rnn = True


def myjit_mlir(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    mode: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """Compile a graph that Dynamo captured.

    Raises:
        OptionsError: an unknown option or mode, or a bad value.
        TargetUnavailableError: the target that `options` names cannot be used on this machine.
        UnsupportedGraphError: under `fallback="error"`, when a part would have to run in torch.

    Warns:
        FallbackWarning: something runs in torch, since the compiler, or AOTAutograd, does not take it.
    """
    if any(isinstance(value, (list, tuple, dict)) for value in example_inputs):
        return flatten_graph_inputs(
            gm, example_inputs, lambda *flat: myjit_mlir(*flat, mode=mode, options=options)
        )
    parsed = CompileOptions.parse(options, mode)
    compile_id = torch._guards.CompileContext.current_compile_id()
    if compile_id is not None and compile_id.frame_compile_id:
        STATISTICS.add("recompiles")  # Dynamo numbers the compiles of a frame from zero
    target = resolve_target(parsed, example_inputs)
    if may_carry_tangents():
        return _uncompiled(gm, parsed)
    compiled, may_choose = _through_aot(gm, example_inputs, parsed, target)
    if not may_choose or isinstance(gm, GmWrapper):
        return compiled
    ways = {"myjit": compiled} if compiled != gm.forward else {}
    if places_by_cost(parsed, target):
        whole = replace(parsed, placement="compiled")
        with suppress(MyjitError), warnings.catch_warnings():
            warnings.simplefilter("ignore", FallbackWarning)  # costs may have left these ops to torch as well
            ways["myjit, all compiled"], _ = _through_aot(gm, example_inputs, whole, target)
    return fastest({**ways, "eager": gm.forward})


def _uncompiled(gm: torch.fx.GraphModule, parsed: CompileOptions) -> Callable[..., Any]:
    """Leave a graph to torch within a level of forward-mode differentiation."""
    reason = "compiled code would lose the tangents of forward-mode differentiation"
    if parsed.fallback == "error":
        raise UnsupportedGraphError(reason)
    warnings.warn(f"a graph runs in torch: {reason}", FallbackWarning, stacklevel=3)
    return _as_written(gm)


def _as_written(gm: torch.fx.GraphModule) -> Callable[..., Any]:
    """Return what runs a graph in torch, called as what AOTAutograd makes of it is.

    That takes one list where inputs that were lists have been made one (`flatten_graph_inputs`).
    """
    return (lambda inputs: gm.forward(*inputs)) if isinstance(gm, GmWrapper) else gm.forward


def _through_aot(
    gm: torch.fx.GraphModule, example_inputs: Sequence[Any], parsed: CompileOptions, target: Target
) -> tuple[Callable[..., Any], bool]:
    """Compile a graph as `parsed` says; tell also whether calls may choose between this and other ways."""
    pipeline = resolve_pipeline(parsed, target)
    by_cost = places_by_cost(parsed, target)
    table = (
        whole_layers(parsed.torch_executed_ops)
        if by_cost
        else decomposition_table(pipeline.decompositions(), kept_whole(target, parsed))
    )
    tunable: list[bool] = []
    plans: list[GraphPlan] = []

    def compiler(role: str) -> Callable[..., Any]:
        def compile_one(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
            if parsed.autotune:
                tunable.append(role == "inference" and may_repeat(graph))
            static = static_inputs() if role != "backward" else ()
            freezes = parsed.freeze and role == "inference"
            held = [i for i in static if i not in (written_inputs() or ())] if freezes else ()
            plans.append(GraphPlan(role))
            return compile_graph(
                graph,
                inputs,
                parsed,
                role=role,
                static_inputs=static,
                held_inputs=held,
                plan=plans[-1],
            )

        return compile_one

    # aot_module_simplified rather than the aot_autograd helper: that adds a second layer against
    # re-tracing, which costs several microseconds a call.
    try:
        kept = attention_kept(gm) if target.kernels else nullcontext()
        recurrent = recurrent_as_in_eager(kept_whole(target, parsed))
        with enable_aot_logging(), recurrent, kept, gradients_of_their_own(gm):
            compiled = aot_module_simplified(
                gm,
                example_inputs,
                fw_compiler=compiler("forward"),
                bw_compiler=_untraced(compiler("backward")),
                inference_compiler=compiler("inference"),
                partition_fn=default_partition if by_cost else min_cut_rematerialization_partition,
                decompositions=table,
            )
    except (MyjitError, TorchDynamoException, torch.OutOfMemoryError):
        raise
    except Exception as error:  # AOTAutograd, decompositions and fake tensors raise whatever they meet
        if parsed.fallback == "error":
            raise
        log.debug("AOTAutograd failed", exc_info=True)
        reason = first_line(error)
        warnings.warn(f"a graph runs in torch: AOTAutograd failed ({reason})", FallbackWarning, stacklevel=2)
        return _as_written(gm), False
    may_choose = bool(tunable) and all(tunable)
    if by_cost and parsed.fallback != "inductor" and not any(plan.ops_compiled for plan in plans):
        return _as_written(gm), may_choose  # all of it is faster in torch, and most of all as it was written
    return compiled, may_choose


def _untraced(compiler: Callable[..., Any]) -> Callable[..., Any]:
    """Keep Dynamo out of the backward: autograd calls it from outside of Dynamo's own guard."""
    untraced = torch._dynamo.disable(compiler, reason="the backward compiler")

    def compile_backward(*args: Any) -> Callable[..., Any]:
        return torch._dynamo.disable(untraced(*args), reason="a compiled backward graph")

    return compile_backward


def _release() -> None:
    """Free compiled code before the interpreter does: IREE's bindings complain otherwise."""
    torch._dynamo.reset()
    gc.collect()
    unload_all()


atexit.register(_release)
