"""Find the target and the pipeline that the options name, or those that the inputs call for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from myjit.frontend.kernel_nodes import with_own_kernels
from myjit.options import CompileOptions
from myjit.passes.load import load_pipeline
from myjit.passes.pipeline import Pipeline
from myjit.targets.base import TARGETS, Target


def resolve_target(options: CompileOptions, inputs: Sequence[Any]) -> Target:
    """Return the target that the options name, or the one for the inputs' device.

    Raises:
        RegistryError: no such target. TargetUnavailableError: it cannot be used here.
    """
    name = options.target
    if name == "auto":
        kinds = {t.device.type for t in inputs if isinstance(t, torch.Tensor)} - {"cpu"}
        name = next((n for n, t in TARGETS.usable() if t.torch_device in kinds), "cpu") if kinds else "cpu"
    target = TARGETS.get(name)
    target.require_available()
    own = (t.device for t in inputs if isinstance(t, torch.Tensor) and t.device.type == target.torch_device)
    return target.on(next((device.index for device in own), None))


def resolve_pipeline(options: CompileOptions, target: Target) -> Pipeline:
    """Return the pipeline that the options give, or the target's own.

    Raises:
        RegistryError, SpecError, OptionsError: there is no such pipeline, or a pass of it does not exist.
    """
    given = options.pipeline
    pipeline = load_pipeline(target.pipeline if given == "auto" else given)
    return with_own_kernels(pipeline).with_flags(*options.iree_flags)


def places_by_cost(options: CompileOptions, target: Target) -> bool:
    """Tell whether what is compiled is chosen by cost; it is on graphs that are not decomposed."""
    return options.placement == "auto" and target.costs is not None
