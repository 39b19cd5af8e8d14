"""The straight line from an FX graph to a callable, and the fallback policy."""

from __future__ import annotations

import copy
import logging
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit import mask_kernel
from myjit.artifact import Artifact
from myjit.compile_part import Setting, start
from myjit.counters import STATISTICS
from myjit.errors import (
    CodegenError,
    CompileError,
    FallbackWarning,
    GraphImportError,
    MyjitError,
    PassFaultError,
    UnsupportedGraphError,
    WorkerCrashError,
    first_line,
)
from myjit.frontend import verdicts
from myjit.frontend.aliases import share_memory_of_outputs
from myjit.frontend.aot_metadata import view_outputs, written_inputs
from myjit.frontend.cost import work
from myjit.frontend.extract import Extract, attribute, extract
from myjit.frontend.in_place import mark_in_place
from myjit.frontend.nodes import is_parameter, is_view, op_name
from myjit.frontend.partition import Part, halves, partition
from myjit.frontend.rewrite import rewrite
from myjit.frontend.support import Reason, Rejection
from myjit.frontend.values import fill_missing
from myjit.options import CompileOptions
from myjit.part_tuning import TORCH, PartTuning
from myjit.passes.pipeline import Pipeline
from myjit.placing import place_as_measured, place_by_cost, rejected_nodes
from myjit.plan import GraphPlan, PartSummary
from myjit.progress import progress
from myjit.resolve import places_by_cost, resolve_pipeline, resolve_target
from myjit.runtime.executable import Executable
from myjit.steps import EagerTwin, Step, constant_step, schedule, through_inductor, torch_call
from myjit.targets.base import Target
from myjit.transforms.bind_parameters import binding_parameters
from myjit.worker_pool import POOL

log = logging.getLogger(__name__)

#: Called with every finished plan; `myjit.explain` listens here.
plan_listeners: list[Callable[[GraphPlan], None]] = []


def compile_graph(
    gm: GraphModule,
    inputs: Sequence[Any],
    options: CompileOptions,
    *,
    role: str = "inference",
    static_inputs: Sequence[int] = (),
    held_inputs: Sequence[int] = (),
    plan: GraphPlan | None = None,
) -> Callable[[list[Any]], Any]:
    """Compile a functional ATen graph; return a callable in AOTAutograd's boxed convention.

    `inputs` are the example values (fake tensors, integers), `static_inputs` the positions of those
    that are usually the same tensors at each call, `held_inputs` those that compiled code may keep packed
    and be loaded again for when they change. What cannot be compiled runs in torch. `plan` is filled in;
    where the target places by cost, the graph has not been decomposed yet.

    Raises:
        UnsupportedGraphError: under `fallback="error"`, when something would have to run in torch.
        PassFaultError: under `fallback="error"`, when a pass of the pipeline fails.
        TargetUnavailableError: the target cannot be used on this machine.
    """
    target = resolve_target(options, inputs)
    pipeline = resolve_pipeline(options, target)
    plan = plan or GraphPlan(role)
    as_given = copy.deepcopy(gm.graph)
    try:
        fault = _rewritten(gm, target, pipeline, options, role)
        planner = _Planner(gm, target, pipeline, options, plan, static_inputs)
        planner.rejected = rejected_nodes(gm, target, options)
        if fault is not None:
            planner.give_up([n for n in gm.graph.nodes if n.op == "call_function"], fault)
        if held_inputs and target.holds_weights:
            planner.hold(held_inputs)
        doing = f"myjit: compiling the {role} graph of {len(gm.graph.nodes)} nodes"
        with progress(doing), mask_kernel.compiled_beside(gm, planner.setting):
            result = planner.build()
    except MyjitError:
        raise
    except Exception as error:  # a defect of ours costs the graph its speed, not the user the program
        if options.fallback == "error" or isinstance(error, torch.OutOfMemoryError):
            raise
        log.exception("myjit failed on a graph, which runs in torch: please report this")
        gm.graph = as_given
        _share_memory(gm, role)
        plan.parts.clear()
        planner = _Planner(gm, target, pipeline, options, plan, static_inputs)
        nodes = [n for n in gm.graph.nodes if n.op == "call_function"]
        planner.rejected = {n: Rejection.of(n, Reason.FAULT, first_line(error)) for n in nodes}
        result = planner.build()
    _report(plan, options)
    return result


def _rewritten(
    gm: GraphModule, target: Target, pipeline: Pipeline, options: CompileOptions, role: str
) -> PassFaultError | None:
    """Place, share memory and run the FX passes; return the error of a pass that failed."""
    fill_missing(gm)
    if places_by_cost(options, target):
        place_by_cost(gm, target, pipeline, options, role=role)
    else:
        place_as_measured(gm, target, pipeline, options)
    _share_memory(gm, role)
    try:
        rewrite(gm, pipeline, options.compile_timeout)
    except PassFaultError as error:
        return error
    if role == "inference" and target.place() == "cpu" and target.memory() == "torch":
        mark_in_place(gm, written_inputs() or ())
    return None


def _share_memory(gm: GraphModule, role: str) -> None:
    if role != "backward":
        # With gradients, AOTAutograd knows of them all.
        share_memory_of_outputs(gm, view_outputs(), shared=role == "inference")


@dataclass(frozen=True)
class _Going:
    """A part on its way: its nodes that compute, the artifact to come, and when it began."""

    part: Extract
    compute: Sequence[Node]
    result: Future[Artifact] | None
    begun: float
    tuning: PartTuning | None


class _Planner:
    """Builds one graph's steps: try each part, blame what the compiler refuses, split, go on."""

    def __init__(  # noqa: PLR0917
        self,
        gm: GraphModule,
        target: Target,
        pipeline: Pipeline,
        options: CompileOptions,
        plan: GraphPlan,
        static_inputs: Sequence[int],
    ) -> None:
        self.gm = gm
        self.target = target
        self.pipeline = pipeline
        self.options = options
        libraries = (*target.granted(), *(target.libraries() if options.device == "auto" else ()))
        self.setting = Setting(target, pipeline, options, launches=target.launches, libraries=libraries)
        self.plan = plan
        self.placeholders = gm.graph.find_nodes(op="placeholder")
        self.static = {self.placeholders[i] for i in static_inputs}
        self.held: set[Node] = set()
        self.rejected: dict[Node, Rejection] = {}
        self.limits = f"{options.compile_timeout} s"  # what a compile may fail for besides the program

    def hold(self, inputs: Sequence[int]) -> None:
        """Let the compiled parts ask for these inputs when they are loaded."""
        self.setting = replace(self.setting, pipeline=binding_parameters(self.pipeline))
        self.held = {n for n in (self.placeholders[i] for i in inputs) if is_parameter(n.meta.get("val"))}

    def build(self) -> Callable[[list[Any]], Any]:
        nodes = [n for n in self.gm.graph.nodes if n.op == "call_function"]
        self._recall(nodes)
        steps: list[Step] = []
        waiting: list[Node] = []  # neighbouring torch parts run as one
        for part in self._parts(nodes):
            if isinstance(part, Step):
                steps += self._torch_steps(waiting)
                waiting = []
                steps.append(part)
            else:
                waiting += part
        steps += self._torch_steps(waiting)
        (output,) = self.gm.graph.find_nodes(op="output")
        results = output.args[0]
        used = {n for s in steps for n in s.inputs} | {r for r in results if isinstance(r, Node)}
        constants = [n for n in self.gm.graph.find_nodes(op="get_attr") if n in used]
        if constants:
            steps.insert(0, constant_step(self.gm, constants, attribute))
        self.plan.rejections = list(self.rejected.values())
        return schedule(self.placeholders, steps, results)

    def _parts(self, nodes: Sequence[Node]) -> list[Step | tuple[Node, ...]]:
        """Turn nodes into compiled steps and groups of nodes for torch, in execution order."""
        done: list[Step | tuple[Node, ...]] = []
        started = [(part, self._start(part)) for part in partition(nodes, self.rejected)]
        for part, going in started:
            done += [part.nodes] if going is None else self._finished(part, going)
        return done

    def _start(self, part: Part) -> _Going | None:
        """Begin to compile a part; None where it runs in torch."""
        if not part.compiled:
            return None
        compute = [n for n in part.nodes if not is_view(n)]
        if len(compute) < max(1, self.options.min_partition_ops):
            self._reject(part.nodes, Reason.SMALL)
            return None
        extracted = extract(self.gm, part.nodes)
        begun = time.perf_counter()
        held = tuple(i for i, n in enumerate(extracted.inputs) if n in self.held)
        if not extracted.outputs:
            return _Going(extracted, compute, None, begun, None)
        tunes = self.options.autotune and not self.options.verify
        tuning = PartTuning(extracted, self.setting, held) if tunes else None
        if tuning is not None and tuning.known == TORCH:
            self._reject(part.nodes, Reason.FASTER)
            return None
        result = start(extracted, self.setting, held) if tuning is None else tuning.start()
        return _Going(extracted, compute, result, begun, tuning)

    def _finished(self, part: Part, going: _Going) -> list[Step | tuple[Node, ...]]:
        if going.result is None:  # nothing of it is used
            return []
        try:
            artifact = POOL.wait(going.result)
        except CompileError as error:
            log.debug("part of %d ops refused: %s", len(part.nodes), error)
            return self._after_refusal(part.nodes, going.compute, error)
        return [self._step(going, part.nodes, artifact)]

    def _after_refusal(
        self, nodes: Sequence[Node], compute: Sequence[Node], error: CompileError
    ) -> list[Step | tuple[Node, ...]]:
        if isinstance(error, PassFaultError):  # no other cut of the graph would please that pass
            self.give_up(nodes, error)
            return [tuple(nodes)]
        named = set(error.nodes)
        culprits = [n for n in nodes if n.name in named]
        if not culprits and len(compute) == 1:
            culprits = list(compute)
        if culprits:
            self._blame(culprits, error, alone=len(compute) == 1)
            return self._parts(nodes)
        first, second = halves(nodes)
        if not first or not second:
            self._blame(nodes, error)
            return [tuple(nodes)]
        return self._parts(first) + self._parts(second)

    def give_up(self, nodes: Sequence[Node], error: PassFaultError) -> None:
        """Leave nodes to torch because a pass failed; another graph, or a mended pass, gets its chance.

        Raises:
            PassFaultError: under `fallback="error"`.
        """
        if self.options.fallback == "error":
            raise error
        detail = " ".join(str(error.args[0]).split())[:600]
        if error.reproducer:
            detail += f"; its input is in {error.reproducer}"
        for node in nodes:
            if node not in self.rejected:
                self.rejected[node] = Rejection.of(node, Reason.PASS, detail)

    def _blame(self, nodes: Sequence[Node], error: CompileError, *, alone: bool = True) -> None:
        """Reject nodes, with their getitems, for what the compiler said, of nothing else if `alone`."""
        said = {name: d.message for d in reversed(error.diagnostics) for name in d.nodes}
        outside = isinstance(error, WorkerCrashError) and not error.repeats
        limits, alone = self.limits if outside else "", alone or isinstance(error, GraphImportError)
        general = error.diagnostics[0].message if error.diagnostics else str(error.args[0])
        for culprit in nodes:
            detail = said.get(culprit.name, general).splitlines()[0][:200]
            for node in _with_results(culprit):
                self.rejected[node] = Rejection.of(node, _reason(error), detail)
                verdicts.remember(node, self.pipeline, self.rejected[node], limits, alone=alone)
        self._require_allowed(error)

    def _recall(self, nodes: Sequence[Node]) -> None:
        """Reject what an earlier graph found out, without asking again."""
        for node in nodes:
            known = verdicts.recall(node, self.pipeline, self.limits)
            if known is not None and node not in self.rejected:
                for result in _with_results(node):
                    self.rejected[result] = Rejection.of(result, known.reason, known.detail)
        self._require_allowed()

    def _reject(self, nodes: Sequence[Node], reason: Reason) -> None:
        for node in nodes:
            self.rejected[node] = Rejection.of(node, reason)

    def _require_allowed(self, error: CompileError | None = None) -> None:
        refused = [r for r in self.rejected.values() if not r.reason.by_design]
        if refused and self.options.fallback == "error":
            lines = "\n  ".join(dict.fromkeys(str(r) for r in refused))
            raise UnsupportedGraphError(
                f"fallback='error' and these ops are not compiled:\n  {lines}",
                diagnostics=error.diagnostics if error else (),
                reproducer=error.reproducer if error else "",
            ) from error

    def _step(self, going: _Going, nodes: Sequence[Node], artifact: Artifact) -> Step:
        seconds = time.perf_counter() - going.begun
        part, tuning = going.part, going.tuning
        elements = 0.0 if self.setting.shares_work else work(nodes)
        driver = self.target.driver(work=elements, wish=self.options.device)
        if tuning is not None:
            driver = tuning.driver(driver)
        ops = tuple(Counter(op_name(n) for n in nodes).most_common())
        twin = EagerTwin(
            part.module, ", ".join(name for name, _ in ops), strict=self.options.fallback == "error"
        )
        name = f"{self.plan.role}_{len(self.plan.parts)}"

        def load(artifact: Artifact, driver: str) -> Executable:
            executable = Executable(
                artifact,
                driver,
                place=torch.device(self.target.place()),
                memory=self.target.memory(),
                static_inputs=[i for i, n in enumerate(part.inputs) if n in self.static],
                name=name,
                on_failure=twin.after_failure,
                enqueuer=self.target.enqueuer if tuning is None else tuning.enqueuer(),
            )
            STATISTICS.watch(executable)
            return executable

        if tuning is not None:
            call = tuning.fastest(artifact, driver, lambda a, d: load(a, d).call, torch_call(part.module))
        else:
            executable = load(artifact, driver)
            call = twin.verified(executable) if self.options.verify else executable.call
        inputs = tuple(n.name for n in part.inputs)
        self.plan.parts.append(PartSummary(True, ops, inputs, driver, seconds))
        return Step(call, part.inputs, part.outputs)

    def _torch_steps(self, nodes: Sequence[Node]) -> list[Step]:
        if not nodes:
            return []
        part = extract(self.gm, nodes)
        ops = tuple(Counter(op_name(n) for n in nodes).most_common())
        self.plan.parts.append(PartSummary(False, ops, tuple(n.name for n in part.inputs)))
        run: Callable[..., Any] = part.module
        if self.options.fallback == "inductor":
            run = through_inductor(part)
        return [Step(torch_call(run), part.inputs, part.outputs)]


def _with_results(node: Node) -> list[Node]:
    """Return a node with the getitems of the same producer: they stand and fall together."""
    if op_name(node) == "getitem" and isinstance(node.args[0], Node):
        node = node.args[0]
    return [node, *(u for u in node.users if op_name(u) == "getitem")]


def _reason(error: CompileError) -> Reason:
    if isinstance(error, WorkerCrashError):
        return Reason.CRASH
    if isinstance(error, GraphImportError):
        return Reason.IMPORT
    return Reason.CODEGEN if isinstance(error, CodegenError) else Reason.LOWERING


def _report(plan: GraphPlan, options: CompileOptions) -> None:
    STATISTICS.add("graphs")
    STATISTICS.add("partitions", sum(p.compiled for p in plan.parts))
    STATISTICS.add("ops_compiled", plan.ops_compiled)
    STATISTICS.add("ops_fallback", len(plan.fallbacks))
    STATISTICS.add("ops_by_design", len(plan.rejections) - len(plan.fallbacks))
    for rejection in plan.rejections:
        STATISTICS.add_in_torch(rejection.reason.name.lower(), by_design=rejection.reason.by_design)
    log.debug("%s", plan)
    for listener in plan_listeners:
        listener(plan)
    if plan.fallbacks:
        lines = list(dict.fromkeys(str(r) for r in plan.fallbacks))
        shown = "; ".join(lines[:3]) + (f"; and {len(lines) - 3} more" if len(lines) > 3 else "")
        warnings.warn(
            f"{len(plan.fallbacks)} of {len(plan.fallbacks) + plan.ops_compiled} ops of the "
            f"{plan.role} graph run in torch: {shown}",
            FallbackWarning,
            stacklevel=2,
        )
