"""How lit runs the tests: RUN lines in lit's own shell, `myjit` and `filecheck` of this environment."""

import os
import sys
from pathlib import Path

import lit.formats

config.name = "myjit"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["lit.cfg.py", "Inputs"]
root = Path(__file__).resolve().parent.parent
config.test_source_root = str(root / "lit")
config.test_exec_root = str(root / "build" / "lit")

# The command of this checkout, whatever is installed; not the word in a text.
config.substitutions += [
    (
        r"\bmyjit\b(?= (opt|import|build|run|refit|cache|pipelines|passes|dialects|targets|doctor|bench|-))",
        f"{sys.executable} -m myjit",
    ),
    (r"%python", sys.executable),
    (r"%exits", f"{sys.executable} -S {root / 'lit' / 'Inputs' / 'exits.py'}"),
]
config.environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
    config.environment[name] = "1"
config.environment["MYJIT_CACHE"] = "0"  # tests share nothing with the user's own cache
