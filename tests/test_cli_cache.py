"""`myjit cache`: list, show, compare, verify, clear."""

from __future__ import annotations

import re

import torch

from myjit.cache import open_cache
from myjit.cli import main
from myjit.errors import CacheError, OptionsError
from myjit.options import CompileOptions


def test_the_whole_life_of_a_cache(compiled, capsys):
    compiled(torch.sin)(torch.ones(3))
    compiled(torch.sin)(torch.ones(4))
    assert main(["cache", "ls"]) == 0
    listed = capsys.readouterr().out
    assert re.search(r"^[0-9a-f]{12} +\d+ .* part compiled: aten\.sin\.default ×1$", listed, re.MULTILINE)
    assert "4 entries" in listed
    names = [line.split()[0] for line in listed.splitlines() if "part compiled" in line]
    assert main(["cache", "show", names[0]]) == 0
    shown = capsys.readouterr().out
    for part in ("graph: ", "pipeline: cpu ", "target: cpu ", "iree: ", "torch-mlir: ", "torch: ", "myjit: "):
        assert part in shown
    assert main(["cache", "show", *names]) == 0
    assert capsys.readouterr().out.startswith("missed because graph: ")
    assert main(["cache", "verify"]) == 0
    assert "4 entries are whole, 0 were damaged" in capsys.readouterr().out
    folder = open_cache(CompileOptions.parse({}).cache_dir, 1)
    assert folder is not None
    path = next(path for path in folder.paths() if not f"{path.parent.name}{path.name}".startswith(names[0]))
    path.write_bytes(path.read_bytes()[:-1])
    assert main(["cache", "verify"]) == CacheError.exit_code
    assert "3 entries are whole, 1 were damaged" in capsys.readouterr().out
    assert main(["cache", "clear", names[0]]) == 0
    assert "deleted 1 entries" in capsys.readouterr().out
    assert main(["cache", "ls", names[0]]) == OptionsError.exit_code
    assert main(["cache", "clear"]) == 0
    assert "deleted 2 entries" in capsys.readouterr().out
    assert main(["cache", "show", "nothing"]) == OptionsError.exit_code
    assert main(["cache", "show"]) == OptionsError.exit_code
