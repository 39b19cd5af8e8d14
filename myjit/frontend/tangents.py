"""Levels of forward-mode differentiation, whose tangents compiled code would lose without a word."""

from __future__ import annotations

import torch
from torch._dynamo.guards import GuardBuilder, install_guard
from torch._dynamo.source import GlobalStateSource


def may_carry_tangents() -> bool:
    """Tell whether a level of `torch.autograd.forward_ad` is open; Dynamo compiles anew when that changes.

    Dynamo itself guards on levels only where the compiled function opens them.
    """
    if torch._guards.TracingContext.try_get() is not None:
        install_guard(GlobalStateSource().make_guard(GuardBuilder.DUAL_LEVEL))
    return torch.autograd.forward_ad._current_level >= 0
