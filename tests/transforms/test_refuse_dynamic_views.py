"""The check fails on what torch-mlir gets wrong, and on nothing else."""

from __future__ import annotations

import pytest

from myjit.errors import PassError
from myjit.mlir.context import new_context, parse
from myjit.transforms.refuse_dynamic_views import RefuseDynamicViews

VIEW = """
func.func @main(%x: !torch.vtensor<[{before}],f32>, %sizes: !torch.list<int>) -> !torch.vtensor<[{after}],f32> {{
  %0 = torch.aten.view %x, %sizes : !torch.vtensor<[{before}],f32>, !torch.list<int> -> !torch.vtensor<[{after}],f32>
  return %0 : !torch.vtensor<[{after}],f32>
}}
"""  # noqa: E501


@pytest.mark.parametrize(("before", "after"), [("?,?,8", "?,8"), ("?,8", "?,?,8")])
def test_refused(before, after):
    module = parse(VIEW.format(before=before, after=after), new_context())
    with pytest.raises(PassError, match="several dynamic dimensions"):
        RefuseDynamicViews().run(module)


@pytest.mark.parametrize(("before", "after"), [("?,2,4", "?,8"), ("4,8", "32")])
def test_allowed(before, after):
    RefuseDynamicViews().run(parse(VIEW.format(before=before, after=after), new_context()))
