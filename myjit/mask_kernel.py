"""Have the kernel compiled that draws masks, beside the parts of the first graph that draws any."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace

from torch.fx import GraphModule

from myjit.compile_part import Setting, compile_alone
from myjit.errors import CompileError
from myjit.passes.pipeline import Pipeline
from myjit.runtime import masks
from myjit.worker_pool import POOL

log = logging.getLogger(__name__)


@contextmanager
def compiled_beside(gm: GraphModule, setting: Setting) -> Iterator[None]:
    """Compile and install the kernel beside what the body compiles, if the graph draws masks."""
    kernel = None if masks.is_installed() or not _draws(gm) else _begun(setting)
    yield
    if kernel is not None:
        try:
            masks.install(POOL.wait(kernel))
        except CompileError as error:
            log.warning("masks are drawn by torch: %s", error)


def _draws(gm: GraphModule) -> bool:
    return bool(gm.graph.find_nodes(op="call_function", target=masks.BERNOULLI))


def _begun(setting: Setting) -> Future[bytes]:
    options = replace(setting.options, dump="", override="")  # which are for programs
    return compile_alone(masks.SOURCE.read_bytes(), Setting(setting.target, Pipeline("masks", ()), options))
